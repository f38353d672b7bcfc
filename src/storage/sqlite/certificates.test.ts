import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

test("private keys are in files that only their owner can read", () => {
  for (const suffix of ["", "-wal"]) {
    expect(statSync(fresh.file + suffix).mode & 0o077).toBe(0);
  }
});
