import { expect, test } from "bun:test";
import { errorCode, isDiskFull, messageOf } from "./error-message.ts";

const failureOf = (code: string) => Object.assign(new Error(`it says ${code}`), { code });

test.each([
  ["ENOENT", "it says ENOENT", failureOf("ENOENT")],
  ["", "plain", new Error("plain")],
  ["", "aborted", new DOMException("aborted", "AbortError")],
  ["", "a text", "a text"],
  ["", "null", null],
  ["", "undefined", undefined],
])("every thrown value has a code and a message: '%s', '%s'", (code, message, thrown) => {
  expect([errorCode(thrown), messageOf(thrown)]).toEqual([code, message]);
});

test.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["SQLITE_FULL", true],
  ["SQLITE_IOERR_WRITE", false],
  ["EACCES", false],
])("that %s means a full disk is %p", (code, full) => {
  expect(isDiskFull(failureOf(code))).toBe(full);
});
