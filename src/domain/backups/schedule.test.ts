import { describe, expect, test } from "bun:test";
import { type BackupRecord, isBackupId, newBackupId } from "../model/backup-record.ts";
import { DAY, MINUTE } from "../timestamp.ts";
import { failingBackup, nextBackupAt, nextRetry, nextWork, outdated } from "./schedule.ts";

const T0 = Date.parse("2026-11-23T02:00:00.123Z");
const DAILY = { every: DAY };
const ON_REQUEST = { every: null };

function record(id: string, is: Partial<BackupRecord> = {}): BackupRecord {
  const nothing = {
    bytes: 0,
    progress: 1,
    error: null,
    attempts: 1,
    retryAt: null,
    verifiedAt: null,
    verifying: false,
  };
  return { id, place: "here", createdAt: T0, state: "done", ...nothing, ...is };
}

test("an id contains the time and sorts by it", () => {
  expect(newBackupId(T0)).toBe("20261123T020000123Z");
  expect(isBackupId(newBackupId(T0))).toBe(true);
  for (const other of ["", "latest", "20261123T020000123Z/", "../20261123T020000123Z"])
    expect(isBackupId(other)).toBe(false);
});

describe("the next task is", () => {
  test.each<[string, readonly BackupRecord[], { every: number | null }, number, unknown]>([
    ["the first backup at once", [], DAILY, T0, { kind: "make", id: null }],
    ["nothing on request only", [], ON_REQUEST, T0, null],
    ["nothing before the time", [record("a")], DAILY, T0 + DAY - 1, null],
    ["a new backup at the time", [record("a")], DAILY, T0 + DAY, { kind: "make", id: null }],
    [
      "one that was requested or interrupted",
      [record("a", { state: "running" }), record("b")],
      ON_REQUEST,
      T0,
      { kind: "make", id: "a" },
    ],
    ["nothing before a retry", [record("a", { state: "failed", retryAt: T0 + MINUTE })], DAILY, T0 + MINUTE - 1, null],
    [
      "a retry",
      [record("a", { state: "failed", retryAt: T0 + MINUTE })],
      DAILY,
      T0 + MINUTE,
      { kind: "make", id: "a" },
    ],
    [
      "a retry without a schedule",
      [record("a", { state: "failed", retryAt: T0 })],
      ON_REQUEST,
      T0,
      { kind: "make", id: "a" },
    ],
    ["a verification", [record("a"), record("b", { verifying: true })], DAILY, T0, { kind: "verify", id: "b" }],
    [
      "a verification before the next backup",
      [record("a", { verifying: true })],
      DAILY,
      T0 + 9 * DAY,
      { kind: "verify", id: "a" },
    ],
  ])("%s", (_, records, schedule, now, work) => {
    expect<unknown>(nextWork(records, schedule, now)).toEqual(work);
  });

  describe("not delayed by a clock that was ahead", () => {
    const ahead = record("a", { createdAt: T0 + 900 * DAY });

    test("if the last attempt failed", () => {
      const failed = record("a", { state: "failed", retryAt: T0 + 900 * DAY });
      expect(nextWork([failed], DAILY, T0)).toEqual({ kind: "make", id: "a" });
    });

    test("if there is no other backup", () => {
      expect(nextWork([ahead], DAILY, T0)).toEqual({ kind: "make", id: null });
    });

    test("but by the newest of the others", () => {
      expect(nextBackupAt([ahead, record("b"), record("c", { createdAt: T0 - DAY })], DAILY, T0)).toBe(T0 + DAY);
    });
  });
});

test("retries become less frequent and never stop", () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1000].map((attempts) => (nextRetry(T0, attempts, 0.5) - T0) / MINUTE);
  expect(delays).toEqual([1, 2, 5, 10, 30, 60, 60, 60]);
});

test("the failing backup is one that failed, even during its retry", () => {
  expect(failingBackup([record("a"), record("b", { state: "running", attempts: 1 })])).toBeNull();
  expect(failingBackup([record("a", { state: "running", attempts: 2 })])?.id).toBe("a");
  expect(failingBackup([record("a", { state: "failed" }), record("b")])?.id).toBe("a");
});

describe("expired backups", () => {
  const ids = (keep: number, made: string, records: readonly BackupRecord[]) =>
    outdated(records, keep, made).map(({ id }) => id);
  const four = [1, 2, 3, 4].map((day) => record(`day ${day}`, { createdAt: T0 + day * DAY }));

  test.each([
    [1, ["day 1", "day 2", "day 3"]],
    [3, ["day 1"]],
    [4, []],
    [14, []],
  ])("with %d kept", (keep, wanted) => expect(ids(keep, "day 4", four)).toEqual(wanted));

  test("the newest one is kept whatever its time, and a failed one does not count", () => {
    const early = record("made", { createdAt: T0 - 900 * DAY });
    expect(ids(1, "made", [...four, early, record("failed", { state: "failed" })])).toEqual([
      "day 1",
      "day 2",
      "day 3",
      "day 4",
    ]);
  });
});
