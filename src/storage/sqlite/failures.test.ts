import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { DomainError } from "../../domain/errors.ts";
import { sqliteFailure } from "./failures.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDatabase } from "./testing/temporary-store.ts";

const failureOf = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ["SQLITE_FULL", "disk_full", false],
  ["SQLITE_IOERR_SHMSIZE", "disk_full", false],
  ["SQLITE_IOERR", "unavailable", true],
  ["SQLITE_IOERR_READ", "unavailable", true],
  ["SQLITE_IOERR_WRITE", "unavailable", true],
  ["SQLITE_IOERR_FSYNC", "unavailable", true],
  ["SQLITE_BUSY", "unavailable", false],
  ["SQLITE_BUSY_SNAPSHOT", "unavailable", false],
  ["SQLITE_READONLY", "unavailable", false],
  ["SQLITE_CANTOPEN", "unavailable", false],
])("%s becomes %s; that the log gets the cause is %p", (code, kind, caused) => {
  const cause = failureOf(code);
  const error = sqliteFailure(cause);
  expect(error).toBeInstanceOf(DomainError);
  const { kind: translated, extra } = error as DomainError;
  expect([translated as string, extra.cause]).toEqual([kind, caused ? cause : undefined]);
});

test("a commit that may not be on the disk is reported as such", () => {
  expect((sqliteFailure(failureOf("SQLITE_IOERR_FSYNC")) as DomainError).detail).toContain("check whether it happened");
});

test("every method of a store on a failing disk throws errors of the domain", async () => {
  const file = temporaryDatabase();
  const store = openSqliteStore(file);
  const other = new Database(file);
  other.run("VACUUM");
  // By its index every page is in the log, which the disk has lost.
  truncateSync(`${file}-wal`);
  const questions = [
    () => store.figures(),
    () => store.lastChangeAt(),
    () => store.users.list(),
    () => Array.fromAsync(store.contents.list()),
  ];
  for (const ask of questions) expect(ask()).rejects.toThrow("the database cannot be read or written: the disk fails");
  store.close();
  other.close();
});
