import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { FakeTimers } from "../../jobs/testing/fake-timers.ts";
import { addPerson, addSession } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { Store } from "../ports/store.ts";
import { DAY, SECOND } from "../timestamp.ts";
import type { EventStream } from "./person-stream.ts";
import { type EventStreams, makeEventStreams } from "./streams.ts";

let store: Store;
let timers: FakeTimers;
let now: number;
let streams: EventStreams;
let caller: SessionCaller;
let open: number;
const reported: unknown[] = [];
const clock = { now: () => now };

beforeEach(async () => {
  store = temporaryStore();
  timers = new FakeTimers();
  now = 0;
  open = 0;
  const user = await addPerson(store, "root");
  await store.users.setOperator(user.id, true);
  const sessionId = await addSession(store, user.id, DAY, DAY);
  caller = { kind: "session", user: { ...user, operator: true }, sessionId, at: 0, signedInAt: null };
  const take = () => {
    open += 1;
    return () => {
      open -= 1;
    };
  };
  streams = makeEventStreams({ store, slots: { take }, clock, timers, report: (error) => reported.push(error) });
});

// The store looks for events in real time, so a stream that stays open would take part in the next test.
afterEach(() => streams.stop());

/** Makes a change that operators see. */
const change = (count: number) => store.quotas.setOwn(caller.user.id, { sites: count });

async function begin(lastEventId: string | null = null): Promise<EventStream> {
  const stream = await streams.open(caller, lastEventId);
  expect((await stream.next())?.messages).toEqual([]);
  return stream;
}

/** The streams of a thread that reads the log in its own way. */
function threadReading(liveEvents: Store["liveEvents"], report: (error: unknown) => void = () => {}): EventStreams {
  const slots = { take: () => () => {} };
  return makeEventStreams({ store: { ...store, liveEvents }, slots, clock, timers, report });
}

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  await timers.pass(milliseconds);
}

describe("a stream", () => {
  test("sends every 20 seconds that it is open, and the id from which to continue", async () => {
    const stream = await begin();
    const next = stream.next();
    await pass(19 * SECOND);
    expect(Bun.peek.status(next)).toBe("pending");
    await pass(SECOND);
    expect(await next).toEqual({ messages: [], position: await store.liveEvents.newestId() });
  });

  test("does not reveal changes that its client may not see", async () => {
    const stream = await begin();
    await store.users.setOperator(caller.user.id, false);
    const next = stream.next();
    await pass(0);
    await change(1);
    await pass(0);
    expect(Bun.peek.status(next)).toBe("pending");
  });

  test("ends when its session expires, within a second", async () => {
    const stream = await begin();
    const next = stream.next();
    now = DAY - SECOND;
    await pass(SECOND);
    expect(await next).toBeNull();
    expect(open).toBe(0);
  });

  test("ends if its client reads nothing for a minute", async () => {
    const stream = await begin();
    await pass(59 * SECOND);
    expect(open).toBe(1);
    await pass(2 * SECOND);
    expect(open).toBe(0);
    expect(await stream.next()).toBeNull();
  });

  test("buffers at most 100 changes for a client that reads nothing, and then sends a reset", async () => {
    let look = () => {};
    let reached = 0;
    const { after } = store.liveEvents;
    const thread = threadReading({
      ...store.liveEvents,
      watch(listener) {
        look = listener;
        return () => {};
      },
      after(id, ...rest) {
        reached = id;
        return after(id, ...rest);
      },
    });
    const stream = await thread.open(caller, null);
    await stream.next();
    /** Makes changes, and returns once the thread has passed all of them to the stream. */
    const makeChanges = async (count: number) => {
      for (let n = 0; n < count; n++) await change(n);
      const newest = await store.liveEvents.newestId();
      look();
      while (reached < newest) await new Promise(setImmediate);
      return newest;
    };
    await makeChanges(100);
    expect((await stream.next())?.messages.length).toBe(100);
    const position = await makeChanges(101);
    const reset = { id: position, type: "reset", data: { site: null } } as const;
    expect(await stream.next()).toEqual({ messages: [reset], position });
    await makeChanges(1);
    expect((await stream.next())?.messages).toMatchObject([{ id: position + 1, type: "admin.changed" }]);
    thread.stop();
  });

  test("sends a reset if the log was truncated before the thread read it", async () => {
    const stream = await begin();
    const next = stream.next();
    await Promise.all([change(1), change(2), store.liveEvents.deleteOld(-1000, 0)]);
    expect((await next)?.messages).toMatchObject([{ type: "reset" }]);
  });

  test("that missed a thousand events starts with a reset", async () => {
    const start = await store.liveEvents.newestId();
    for (let count = 0; count < 1000; count++) await change(count);
    const stream = await streams.open(caller, String(start));
    expect((await stream.next())?.messages).toMatchObject([{ type: "reset" }]);
    const other = await streams.open(caller, String(start + 1));
    expect((await other.next())?.messages.length).toBe(999);
  });

  test("sends each change once if the client was ahead of the thread", async () => {
    await begin();
    const start = await store.liveEvents.newestId();
    await change(1);
    const stream = await streams.open(caller, String(start));
    await change(2);
    const ids: number[] = [];
    while (ids.length < 2) ids.push(...((await stream.next())?.messages.map(({ id }) => id) ?? []));
    expect(ids).toEqual([start + 1, start + 2]);
  });
});

describe("a thread", () => {
  test("reads the log only while a stream is open", async () => {
    const watching = store.liveEvents.watch;
    let watchers = 0;
    const thread = threadReading({
      ...store.liveEvents,
      watch(listener) {
        watchers += 1;
        const stop = watching(listener);
        return () => {
          watchers -= 1;
          stop();
        };
      },
    });
    const [one, other] = [await thread.open(caller, null), await thread.open(caller, null)];
    one.close();
    expect(watchers).toBe(1);
    other.close();
    await pass(0);
    expect(watchers).toBe(0);
    (await thread.open(caller, null)).close();
  });

  test("that stops ends its streams and opens no others", async () => {
    const stream = await begin();
    streams.stop();
    expect(await stream.next()).toBeNull();
    await expect(streams.open(caller, null)).rejects.toThrow("the server is stopping");
    expect(open).toBe(0);
  });

  test("that rotates certificates ends its streams and opens others", async () => {
    const stream = await begin();
    streams.endAll();
    expect(await stream.next()).toBeNull();
    await begin();
  });

  test("reads the log again a second after a failure, also if no other change follows", async () => {
    let isAway = false;
    const { after } = store.liveEvents;
    const failed = Promise.withResolvers<void>();
    const failures: unknown[] = [];
    const reading: Store["liveEvents"] = {
      ...store.liveEvents,
      after(...read) {
        if (!isAway) return after(...read);
        failed.resolve();
        return Promise.reject(new Error("the disk is gone"));
      },
    };
    const thread = threadReading(reading, (error) => failures.push(error));
    const stream = await thread.open(caller, null);
    await stream.next();
    const next = stream.next();
    isAway = true;
    await change(1);
    // The store looks for new events a few times a second.
    await failed.promise;
    await pass(0);
    expect(failures).toEqual([new Error("the disk is gone")]);
    isAway = false;
    await pass(SECOND);
    expect((await next)?.messages).toMatchObject([{ type: "admin.changed" }]);
    thread.stop();
  });

  test("frees the slot of a stream when the store fails", async () => {
    const failing = {
      ...store,
      liveEvents: { ...store.liveEvents, newestId: () => Promise.reject(new Error("the disk is gone")) },
    };
    open = 1;
    const leave = () => {
      open -= 1;
    };
    const slots = { take: () => leave };
    const thread = makeEventStreams({ store: failing, slots, clock, timers, report() {} });
    await expect(thread.open(caller, null)).rejects.toThrow("the disk is gone");
    expect(open).toBe(0);
  });
});

test("no unexpected error was reported", () => {
  expect(reported).toEqual([]);
});
