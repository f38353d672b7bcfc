import { expect, test } from "bun:test";
import type { PostgresConnection } from "../postgres/connection.ts";
import { loadFiles, newFollower } from "./follow.ts";
import type { Replica } from "./replica.ts";

const place = { cluster: "c", seq: 1, token: "t" };

/** A log without changes, which counts how often it was read. */
const emptyLog = () => {
  const log = { reads: 0 };
  const read = async () => {
    log.reads++;
    return "nothing";
  };
  return { log, connection: { read } as unknown as PostgresConnection };
};
const replica = { place: () => place } as Partial<Replica> as Replica;

test.each(Array.from({ length: 24 }, (_, ticks) => ticks))(
  "a call reads the log after it, even if the run before ends now (%i ticks)",
  async (ticks) => {
    const { log, connection } = emptyLog();
    const follower = newFollower(connection, replica, async () => true);
    void follower.catchUp();
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    const before = log.reads;
    await follower.catchUp();
    expect(log.reads).toBeGreaterThan(before);
  },
);

test("a place that could not be saved is announced again, and one that was saved is not", async () => {
  const responses = [false, true];
  let announcements = 0;
  const follower = newFollower(emptyLog().connection, replica, async () => responses[announcements++] ?? true);
  for (let calls = 0; calls < 4; calls++) await follower.catchUp();
  expect(announcements).toBe(2);
});

test("a deployment whose files cannot be added between changes is unavailable, not empty", async () => {
  const busy: Partial<Replica> = { hasFiles: () => false, formerOf: () => [], addFiles: async () => false };
  const loaded = loadFiles(emptyLog().connection, busy as Replica, 1, Infinity);
  await expect(loaded).rejects.toMatchObject({ kind: "unavailable", extra: { retryAfter: 1 } });
});
