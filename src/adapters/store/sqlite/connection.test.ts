import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect } from "./connection.ts";
import { migrate } from "./migrate.ts";

let folder: string;
let busy: Connection;
let waiting: Connection;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-connection-"));
  const file = join(folder, "vitrine.db");
  await migrate(file);
  [busy, waiting] = [connect(file, () => {}), connect(file, () => {})];
  busy.raw.run("BEGIN IMMEDIATE");
});
afterEach(() => {
  for (const { raw } of [busy, waiting]) raw.close();
  rmSync(folder, { recursive: true });
});

test.each(["write", "writeForgettable", "writeRouting", "writeFreeing"] as const)(
  "%s waits for another connection's, and its thread goes on",
  async (method) => {
    const writes: string[] = [];
    const written = waiting[method](() => writes.push("other"));
    await Bun.sleep(5);
    writes.push("busy");
    busy.raw.run("COMMIT");
    await written;
    expect(writes).toEqual(["busy", "other"]);
  },
);

test("what need not survive a power cut leaves what must to be synced", async () => {
  const forgotten = waiting.writeForgettable(() => {});
  await Bun.sleep(5);
  expect(waiting.raw.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  busy.raw.run("COMMIT");
  await forgotten;
  expect(waiting.raw.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
});

test("who has waited for too long is told to try again", async () => {
  using clock = spyOn(performance, "now");
  clock.mockReturnValueOnce(0).mockReturnValue(10_001);
  await expect(waiting.write(() => {})).rejects.toThrow("the database is busy: try again in a moment");
});
