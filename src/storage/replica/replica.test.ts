import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { prepareReplica } from "./prepare.ts";
import { openReplica } from "./replica.ts";

test("files that a visit needs are unavailable while everything is replaced", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "replica.db");
  await prepareReplica(file);
  const replica = openReplica(file, () => {});
  const replacing = new Database(file);
  replacing.run("BEGIN IMMEDIATE");
  let now = performance.now();
  {
    using _ = spyOn(performance, "now").mockImplementation(() => (now += 6000));
    const parts = { place: 1, rules: "", contents: "[]", files: "[]", objects: "[]" };
    await expect(replica.addFiles(1, parts)).rejects.toMatchObject({ kind: "unavailable", extra: { retryAfter: 1 } });
  }
  replacing.close();
  replica.close();
});
