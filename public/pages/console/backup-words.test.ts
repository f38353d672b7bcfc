import { expect, test } from "bun:test";
import type { Backup } from "../../api/types.ts";
import { addedText, backupNote, restoreCommand, scheduleText } from "./backup-words.ts";

const DONE: Backup = {
  id: "20261122T020000000Z",
  created_at: "2026-11-22T02:00:00.000Z",
  bytes: 2048,
  state: "done",
  progress: 1,
  error: null,
  verified_at: null,
};

test.each([
  ["1d", "Every day, keeps 3"],
  ["7d", "Every 7 days, keeps 3"],
  ["6h", "Every 6 hours, keeps 3"],
  ["1m", "Every minute, keeps 3"],
  ["90s", "Every 90 seconds, keeps 3"],
])("a schedule of %s", (every, text) => {
  expect(scheduleText({ to: "/b", every, keep: 3, next_at: null, last_error: null })).toBe(text);
});

test.each<[string, Partial<Backup>, boolean, ReturnType<typeof backupNote>]>([
  ["that is complete", {}, false, null],
  ["that runs", { state: "running", progress: 0.427 }, false, { text: "42 % copied", bad: false }],
  ["that is verified", { error: "old" }, true, { text: "Verifying …", bad: false }],
  ["that failed", { state: "failed", error: "connection refused" }, false, { text: "Connection refused", bad: true }],
  ["whose error is shown", { state: "failed", error: "no response in time" }, false, { text: "Failed", bad: true }],
  ["that is damaged", { error: "damaged or missing: ab12" }, false, { text: "Damaged or missing: ab12", bad: true }],
])("the note of one %s", (_, change, isVerifying, note) => {
  expect(backupNote({ ...DONE, ...change }, isVerifying, "no response in time")).toEqual(note);
});

test("a failed one has added nothing", () => {
  expect([addedText(DONE), addedText({ ...DONE, state: "failed" })]).toEqual(["+2 KiB", ""]);
});

test.each([
  ["/mnt/backups", null, "vitrine restore /mnt/backups"],
  ["/mnt/backups", "20261122T020000000Z", "vitrine restore /mnt/backups#20261122T020000000Z"],
  ["/mnt/my backups", null, "vitrine restore '/mnt/my backups'"],
  [
    "s3://b/p?endpoint=https://s3.example.org&region=x",
    null,
    "vitrine restore 's3://b/p?endpoint=https://s3.example.org&region=x'",
  ],
])("the command that restores from %s", (to, id, command) => {
  expect(restoreCommand(to, id)).toBe(command);
});
