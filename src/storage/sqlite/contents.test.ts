import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sweepContent } from "../../domain/deployments/sweep.ts";
import { addPerson, addSite } from "../contract/people.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

const noContent = { delete: async () => true, async discardUnfinished() {}, async *list() {} };

test("a sweep does not block other writers longer if more content is referenced", async () => {
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
    async *condemnUnreferenced(...what) {
      let begun = performance.now();
      for await (const condemned of fresh.store.contents.condemnUnreferenced(...what)) {
        if (condemned > 0) held.push(performance.now() - begun);
        yield condemned;
        begun = performance.now();
      }
    },
  };
  const ports = { store: { contents }, content: noContent, pause: async () => {} };
  const swept = await sweepContent(ports, { now: 2, publishedBefore: 1, condemnedBefore: 3, writtenBefore: 0 });
  expect(swept).toEqual({ condemned: 1000, deleted: 1000, strays: 0 });
  expect(Math.min(...held)).toBeLessThan(10);
});
