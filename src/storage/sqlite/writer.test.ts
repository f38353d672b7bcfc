import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Drizzle } from "../store/connection.ts";
import { first } from "../store/rows.ts";
import { meta } from "../store/schema.ts";
import { newGenerationCell } from "./generation.ts";
import { temporaryDatabase } from "./testing/temporary-store.ts";
import { inTurn } from "./write-turns.ts";
import { openWriter, type Writer } from "./writer.ts";

let file: string;
let cell: Int32Array;
let writer: Writer;
let other: Database;

beforeEach(() => {
  file = temporaryDatabase();
  cell = newGenerationCell();
  writer = openWriter(file, cell);
  other = new Database(file, { strict: true });
});
afterEach(() => {
  writer.close();
  other.close();
});

const stored = () => other.query<{ value: number }, []>("SELECT value FROM meta WHERE key = 'count'").get()?.value;
const set = (tx: Drizzle, value: number) =>
  tx.insert(meta).values({ key: "count", value }).onConflictDoUpdate({ target: meta.key, set: { value } });
const read = async (tx: Drizzle) => (await first(tx.select().from(meta).where(eq(meta.key, "count"))))?.value ?? 0;
const increment = async (tx: Drizzle) => {
  await set(tx, (await read(tx)) + 1);
};

describe("changes", () => {
  test("of one thread run one after the other", async () => {
    await Promise.all(Array.from({ length: 24 }, () => writer.write(increment)));
    expect(stored()).toBe(24);
  });

  test("are not seen by readers before they are complete", async () => {
    const seen: unknown[] = [];
    await writer.write(async (tx) => {
      await set(tx, 1);
      seen.push(stored());
      await set(tx, 2);
    });
    expect([...seen, stored()]).toEqual([undefined, 2]);
  });

  test("that fail are rolled back, and the next one runs", async () => {
    const failing = writer.write(async (tx) => {
      await set(tx, 1);
      throw new Error("no");
    });
    const next = writer.write(read);
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe(0);
  });

  test("that are relaxed do not wait for the disk, and others do", async () => {
    const synchronous = async (_: Drizzle, raw: Database) => raw.query("PRAGMA synchronous").get();
    expect(await writer.write(synchronous, "relaxed")).toEqual({ synchronous: 1 });
    expect(await writer.write(synchronous)).toEqual({ synchronous: 2 });
  });

  test("wait for another process, and the thread continues", async () => {
    other.run("BEGIN IMMEDIATE");
    const writes: string[] = [];
    const written = writer.write(async () => writes.push("waiting"));
    await Bun.sleep(5);
    writes.push("busy");
    other.run("COMMIT");
    await written;
    expect(writes).toEqual(["busy", "waiting"]);
  });

  test("that waited too long ask for a retry, those behind them soon after, and not at once", async () => {
    other.run("BEGIN IMMEDIATE");
    let now = 0;
    using _ = spyOn(performance, "now").mockImplementation(() => (now += 100));
    const failures = Array.from({ length: 2 }, () =>
      writer.write(increment).catch(({ message }: Error) => ({ message, at: now })),
    );
    const busy = { message: "the database is busy: try again in a moment", at: expect.any(Number) };
    expect(await Promise.all(failures)).toEqual([busy, busy]);
    const [first, second] = (await Promise.all(failures)).map((failure) => failure?.at) as [number, number];
    expect(first).toBeGreaterThan(10_000);
    expect(second - first).toBeGreaterThan(900);
    expect(second - first).toBeLessThan(2000);
  });
});

describe("a change that awaits something other than its queries", () => {
  const MESSAGE = "a change awaits something other than its queries";

  test("is rolled back with an error that names it, and what is left of it changes nothing", async () => {
    const later = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<unknown>();
    const waiting = writer.write(async (tx) => {
      await set(tx, 1);
      await later.promise;
      await set(tx, 2).then(rest.resolve, rest.resolve);
    });
    const error = await waiting.catch((error: Error) => error);
    expect(error).toMatchObject({ message: MESSAGE, stack: expect.stringContaining("writer.test.ts") });
    const next = writer.write(async (tx) => {
      later.resolve();
      await increment(tx);
    });
    await next;
    expect(await rest.promise).toBeInstanceOf(Error);
    expect(stored()).toBe(1);
  });

  test("cannot use what was compiled for it after its end, even before another change began", async () => {
    const later = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<unknown>();
    const waiting = writer.write(async (tx) => {
      await set(tx, 1);
      await later.promise;
      // The same query again.
      await set(tx, 1).then(rest.resolve, rest.resolve);
    });
    await expect(waiting).rejects.toThrow(MESSAGE);
    later.resolve();
    expect(await rest.promise).toBeInstanceOf(Error);
    expect(stored()).toBeUndefined();
    other.run("BEGIN EXCLUSIVE");
    other.run("ROLLBACK");
  });

  test("such as another change fails, instead of waiting for itself", async () => {
    const outer = writer.write(() => writer.write(increment));
    await expect(outer).rejects.toThrow(MESSAGE);
  });

  test("is not one with many queries", async () => {
    await writer.write(async (tx) => {
      for (let n = 0; n < 500; n++) await increment(tx);
    });
    expect(stored()).toBe(500);
  });
});

describe("threads", () => {
  test("take turns", async () => {
    const second = openWriter(file, cell);
    const order: string[] = [];
    const write = (by: Writer, name: string) => by.write(async () => order.push(name));
    const one = [write(writer, "one"), write(writer, "one"), write(writer, "one")];
    await Promise.all([...one, write(second, "two"), write(second, "two")]);
    second.close();
    expect(order).toEqual(["one", "two", "one", "two", "one"]);
  });

  test("do not wait for one that ended in its turn", async () => {
    void inTurn(cell, () => new Promise(() => {}));
    expect(await inTurn(cell, async () => "late", 1)).toBe("late");
    expect(await inTurn(cell, async () => "next", 60_000)).toBe("next");
  });
});
