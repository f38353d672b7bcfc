import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sweepContent } from "../../domain/deployments/sweep.ts";
import { addPerson, addSite } from "../contract/people.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

const noBlobs = {
  discard() {},
  discardStray: () => false,
  discardUnfinished() {},
  discarded: () => [],
  async *list() {},
  purge() {},
  restoreMissing() {},
};

test("a sweep keeps other writers waiting no longer, however many contents are referred to", async () => {
  await addSite(fresh.store, "demo", (await addPerson(fresh.store, "ada")).id, false);
  const db = new Database(fresh.file);
  db.run(`INSERT INTO contents (digest, size, published_at)
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 101000) SELECT 'content ' || n, 1, 0 FROM n`);
  db.run(`INSERT INTO deployment_contents (deployment_id, content_id)
    SELECT (SELECT min(id) FROM deployments), id FROM contents WHERE id <= 100000`);
  db.close();

  const held: number[] = [];
  const contents: typeof fresh.store.contents = {
    ...fresh.store.contents,
    async forgetUnreferenced(...what) {
      const begun = performance.now();
      return fresh.store.contents.forgetUnreferenced(...what).finally(() => held.push(performance.now() - begun));
    },
  };
  const ports = { store: { contents }, blobs: noBlobs, pause: async () => {} };
  const swept = await sweepContent(ports, { publishedBefore: 1, writtenBefore: 0 });
  expect(swept.unreferenced).toBe(1000);
  expect(Math.min(...held)).toBeLessThan(10);
});
