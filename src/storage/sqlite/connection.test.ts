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

test.each(["write", "writeRelaxed", "writeRouting", "writeFreeing"] as const)(
  "%s waits for another connection's, and its thread continues",
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

test("readers wait for locks, and other writes are synced, between two attempts and afterwards", async () => {
  const settings = () => [
    waiting.raw.query("PRAGMA busy_timeout").get(),
    waiting.raw.query("PRAGMA synchronous").get(),
  ];
  const usual = [{ timeout: 10_000 }, { synchronous: 2 }];
  const forgotten = waiting.writeRelaxed(() => {});
  await Bun.sleep(5);
  expect(settings()).toEqual(usual);
  busy.raw.run("COMMIT");
  await forgotten;
  expect(settings()).toEqual(usual);
});

test("a writer that waited too long is asked to retry", async () => {
  using clock = spyOn(performance, "now");
  clock.mockReturnValueOnce(0).mockReturnValue(10_001);
  await expect(waiting.write(() => {})).rejects.toThrow("the database is busy: try again in a moment");
});
