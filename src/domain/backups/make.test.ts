import { beforeEach, expect, test } from "bun:test";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { DomainError } from "../errors.ts";
import type { PlacedBackup } from "../model/backup-record.ts";
import type { BackupPlace } from "../ports/backup-place.ts";
import type { Store } from "../ports/store.ts";
import { DAY, MINUTE } from "../timestamp.ts";
import { reconcileBackups, workOnBackups } from "./make.ts";

const T0 = Date.parse("2026-11-23T02:00:00.000Z");
const AWAY = new DomainError("unavailable", "connection refused");

let store: Store;
let now: number;
let placed: Map<string, PlacedBackup>;
let stopping: AbortController;
/** Errors at the destination, by method. */
let failures: { [method in "open" | "list" | "sweep" | "verify"]?: Error };
let damaged: readonly string[];
const calls: string[] = [];

beforeEach(() => {
  store = temporaryStore();
  now = T0;
  placed = new Map();
  stopping = new AbortController();
  failures = {};
  damaged = [];
  calls.length = 0;
});

function attempt(method: keyof typeof failures, detail = ""): void {
  calls.push(`${method}${detail}`);
  if (failures[method]) throw failures[method];
}

const place: { -readonly [Name in keyof BackupPlace]: BackupPlace[Name] } = {
  name: "here",
  width: 2,
  async list() {
    if (failures.list) throw failures.list;
    return [...placed.values()];
  },
  async open({ id, createdAt }) {
    attempt("open", ` ${id}`);
    return {
      added: () => 7,
      takeSnapshot: async () => ({ file: "", sites: 0, deployments: 0, total: 0, contents: () => [] }),
      has: async () => true,
      copy: async () => "copied",
      complete: async () => void placed.set(id, { id, createdAt, bytes: 7 }),
      abandon: async () => {},
    };
  },
  async verify(id) {
    attempt("verify", ` ${id}`);
    return { repaired: 0, damaged };
  },
  delete: async (id) => void placed.delete(id),
  sweep: async () => attempt("sweep"),
  archive: async () => null,
};

function work(schedule: { every: number | null; keep?: number } = { every: DAY }): Promise<void> {
  const { every, keep = 14 } = schedule;
  return workOnBackups({
    store,
    place,
    schedule: { to: "here", every, keep },
    clock: { now: () => now },
    log: { info() {}, warn() {}, error() {} },
    random: () => 0.5,
    signal: stopping.signal,
  });
}
const newest = async () => (await store.backups.list())[0];

test("a backup is made when it is due, and the next one not earlier", async () => {
  await work();
  expect(await newest()).toMatchObject({
    id: "20261123T020000000Z",
    state: "done",
    bytes: 7,
    progress: 1,
    attempts: 1,
  });
  now += DAY - 1;
  await work();
  now += 1;
  await work();
  expect([...placed.keys()]).toEqual(["20261123T020000000Z", "20261124T020000000Z"]);
});

test("a failed one has its reason, and is retried with its id until it is complete", async () => {
  failures.open = AWAY;
  await work();
  const failed = { state: "failed", error: "connection refused", attempts: 1, retryAt: T0 + MINUTE };
  expect(await newest()).toMatchObject(failed);
  await work();
  now += MINUTE;
  await work();
  expect(await newest()).toMatchObject({ error: "connection refused (2 attempts)", retryAt: now + 2 * MINUTE });
  expect(calls.filter((call) => call.startsWith("open"))).toHaveLength(2);
  delete failures.open;
  now += 2 * MINUTE;
  await work();
  expect(await newest()).toMatchObject({ id: "20261123T020000000Z", state: "done", error: null, createdAt: now });
  expect(await store.backups.list()).toHaveLength(1);
});

test("one that was interrupted by the end of the server is retried, and one that was cancelled is not", async () => {
  await store.backups.begin({ id: "20261123T010000000Z", place: "here", at: T0 });
  await store.backups.change("20261123T010000000Z", { attempts: 1, retryAt: null });
  await work({ every: null });
  const interrupted = { state: "failed", error: "the server ended while this backup was made (2 attempts)" };
  expect(await newest()).toMatchObject(interrupted);
  now += 10 * MINUTE;
  failures.open = new Error("the server stops");
  const abort = place.open;
  place.open = async (backup) => {
    stopping.abort();
    return abort(backup);
  };
  await work({ every: null }).finally(() => {
    place.open = abort;
  });
  expect(await newest()).toMatchObject({ state: "running", attempts: 2, retryAt: now });
  delete failures.open;
  stopping = new AbortController();
  await work({ every: null });
  expect(await newest()).toMatchObject({ state: "done" });
});

test("old backups are pruned after a new one is complete, with their unreferenced content", async () => {
  for (let day = 0; day < 4; day++, now += DAY) await work({ every: DAY, keep: 2 });
  expect([...placed.keys()]).toEqual(["20261125T020000000Z", "20261126T020000000Z"]);
  expect((await store.backups.list()).map(({ id }) => id)).toEqual(["20261126T020000000Z", "20261125T020000000Z"]);
  expect(calls.at(-1)).toBe("sweep");
});

test("a new backup is complete even if old ones cannot be removed", async () => {
  failures.sweep = AWAY;
  await work();
  const error = "old backups could not be removed: connection refused";
  expect(await newest()).toMatchObject({ state: "done", error });
});

test("backups at the destination are added to the list, and missing ones are removed", async () => {
  await store.backups.add("here", [{ id: "20261101T020000000Z", createdAt: 1, bytes: 0 }]);
  await store.backups.add("elsewhere", [{ id: "20261102T020000000Z", createdAt: 2, bytes: 0 }]);
  placed.set("20261103T020000000Z", { id: "20261103T020000000Z", createdAt: 3, bytes: 5 });
  await reconcileBackups({ store, place });
  expect((await store.backups.list()).map(({ id }) => id)).toEqual(["20261103T020000000Z"]);
});

test("a destination without any backups is taken for an unmounted disk", async () => {
  await work();
  placed.clear();
  now += DAY;
  await work();
  expect((await newest())?.error).toContain("here has none of the 1 backups that were made there: mount its disk");
  expect(placed.size).toBe(0);
});

test("a verification returns when the backup was intact, or what is damaged", async () => {
  await work();
  const { id } = (await newest())!;
  const verify = async () => {
    await store.backups.change(id, { verifying: true });
    await work();
    return newest();
  };
  expect(await verify()).toMatchObject({ verifying: false, verifiedAt: T0, error: null });
  damaged = ["a", "b", "c", "d"];
  const error = "damaged or missing, and no longer in the data folder: a, b, c and 1 more";
  expect(await verify()).toMatchObject({ verifying: false, verifiedAt: null, error });
  failures.verify = AWAY;
  expect(await verify()).toMatchObject({ verifying: false, error: "it could not be verified: connection refused" });
});
