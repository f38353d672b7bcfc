import { expect, test } from "bun:test";
import type { BackupTarget, Copied } from "../ports/backup.ts";
import { backup } from "./backup.ts";

type Contents = readonly string[];

/** A backup target that records its snapshots and the state of each content. */
function target(snapshots: readonly Contents[], outcomes: Record<string, Copied | "there"> = {}) {
  const taken: Contents[] = [];
  const copies: string[] = [];
  let completed: Contents | null = null;
  const backupTarget: BackupTarget = {
    async takeSnapshot() {
      const contents = snapshots[Math.min(taken.length, snapshots.length - 1)] as Contents;
      taken.push(contents);
      const listed = contents.map((digest) => ({ digest, size: 10 }));
      return { file: String(taken.length), sites: 1, deployments: 2, total: listed.length, contents: () => listed };
    },
    has: async ({ digest }) => outcomes[digest] === "there",
    async copy({ digest }) {
      copies.push(digest);
      return (outcomes[digest] ?? "copied") as Copied;
    },
    async complete() {
      completed = taken.at(-1) ?? null;
    },
    async abandon() {},
  };
  return { target: backupTarget, copies, completed: () => completed };
}

const knowing = (...known: string[]) => ({
  find: async (digests: readonly string[]) =>
    new Map(digests.filter((digest) => known.includes(digest)).map((digest) => [digest, { condemnedAt: null }])),
});

test("only new content is copied", async () => {
  const { target: to, copies } = target([["a", "b", "c"]], { b: "there" });
  const report = await backup({ contents: knowing("a", "b", "c"), target: to });
  expect(copies).toEqual(["a", "c"]);
  expect(report).toEqual({ sites: 1, deployments: 2, contents: 3, bytes: 30, copied: 2, missing: [], damaged: [] });
});

test("content that is swept during the copy leads to another snapshot, and nothing is copied twice", async () => {
  const {
    target: to,
    copies,
    completed,
  } = target(
    [
      ["a", "swept"],
      ["a", "new"],
    ],
    { swept: "missing" },
  );
  const report = await backup({ contents: knowing("a", "new"), target: to });
  expect(copies).toEqual(["a", "swept", "new"]);
  expect(completed()).toEqual(["a", "new"]);
  expect(report.missing).toEqual([]);
});

test("content that is missing or damaged in the store is reported and does not stop the rest", async () => {
  const { target: to, completed } = target([["lost", "rotten", "good"]], { lost: "missing", rotten: "damaged" });
  const report = await backup({ contents: knowing("lost", "rotten", "good"), target: to });
  expect(report).toMatchObject({ copied: 1, contents: 3, missing: ["lost"], damaged: ["rotten"] });
  expect(completed()).toEqual(["lost", "rotten", "good"]);
});
