import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { addPerson } from "../contract/people.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

test("a watcher whose read fails once notices the change with the next read", async () => {
  const { store } = fresh;
  const owner = await addPerson(store, "ada");
  using timers = spyOn(globalThis, "setInterval");
  let calls = 0;
  const stop = store.liveEvents.watch(() => calls++);
  const look = timers.mock.calls[0]?.[0] as () => void;
  stop();
  await store.quotas.setOwn(owner.id, { sites: 1 });
  using other = new Database(fresh.file);
  other.run("ALTER TABLE live_events RENAME TO elsewhere");
  expect(look).not.toThrow();
  expect(calls).toBe(0);
  other.run("ALTER TABLE elsewhere RENAME TO live_events");
  look();
  expect(calls).toBe(1);
});
