import { expect, test } from "bun:test";
import { DomainError } from "../../../domain/errors.ts";
import { inDomainTerms, sqliteFailure } from "./failures.ts";

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
])("%s is told as %s; that the log gets the cause is %p", (code, kind, caused) => {
  const cause = failureOf(code);
  const error = sqliteFailure(cause);
  expect(error).toBeInstanceOf(DomainError);
  const { kind: told, extra } = error as DomainError;
  expect([told as string, extra.cause]).toEqual([kind, caused ? cause : undefined]);
});

test("that a commit is not on the disk for certain is said", () => {
  expect((sqliteFailure(failureOf("SQLITE_IOERR_FSYNC")) as DomainError).detail).toContain("look whether it happened");
});

test("every method of a noun tells its failures so, whether it throws or rejects", async () => {
  const noun = inDomainTerms({
    name: "rows",
    count: () => 3,
    async find() {
      return this.name;
    },
    throws(): number {
      throw failureOf("SQLITE_IOERR_READ");
    },
    async rejects() {
      throw failureOf("SQLITE_IOERR_READ");
    },
    async mistaken() {
      throw new TypeError("a mistake of ours");
    },
  });
  expect([noun.name, noun.count(), await noun.find()]).toEqual(["rows", 3, "rows"]);
  expect(() => noun.throws()).toThrow(DomainError);
  expect(noun.rejects()).rejects.toThrow(DomainError);
  expect(noun.mistaken()).rejects.toThrow(TypeError);
});
