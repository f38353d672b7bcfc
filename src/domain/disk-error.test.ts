import { expect, test } from "bun:test";
import { fileFailure } from "./disk-error.ts";
import { DomainError } from "./errors.ts";

test.each([
  ["ENOSPC", "disk_full", false],
  ["EDQUOT", "disk_full", false],
  ["EMFILE", "unavailable", false],
  ["ENFILE", "unavailable", false],
  ["EACCES", "unavailable", true],
  ["ELOOP", "unavailable", true],
  ["EROFS", "unavailable", true],
  ["EIO", "unavailable", true],
  ["ENXIO", "unavailable", true],
  ["ESTALE", "unavailable", true],
  ["ENOMEM", "unavailable", true],
])("%s becomes %s; that the log gets the cause is %p", (code, kind, caused) => {
  const cause = Object.assign(new Error(code), { code });
  const error = fileFailure(cause, "the content store");
  expect(error).toBeInstanceOf(DomainError);
  const { kind: translated, extra } = error as DomainError;
  expect([translated as string, extra.cause]).toEqual([kind, caused ? cause : undefined]);
});

test("a message for clients contains no path", () => {
  const cause = Object.assign(new Error("EACCES: permission denied, scandir '/srv/content/ab'"), { code: "EACCES" });
  expect((fileFailure(cause, "the content store") as DomainError).detail).toBe(
    "the content store cannot be read or written: check the data folder",
  );
});

test("other errors are not changed", () => {
  const error = new TypeError("a mistake of ours");
  expect(fileFailure(error, "the content store")).toBe(error);
});
