import { describe, expect, test } from "bun:test";
import type { UnpackedArchive } from "../ports/archive.ts";
import { warnAboutPrivateKeys, warnAboutUpload } from "./upload-warnings.ts";

function warningsOf(paths: readonly string[], facts: Partial<UnpackedArchive> = {}): string[] {
  const files = paths.map((path) => ({ path, digest: "0".repeat(64), size: 1 }));
  const nothing = {
    reused: [],
    redirectsText: null,
    headersText: null,
    leftOut: [],
    guessedNames: [],
    legacyTexts: [],
    privateKeys: [],
  };
  const warnings = warnAboutUpload({ files, ...nothing, strippedFolder: null, ...facts });
  return warnings.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

test("files that are left out or never served are named, except the rule files", () => {
  const paths = ["index.html", ".envrc", "a/.b/x", ".well-known/security.txt", "_redirects", "_headers"];
  expect(warningsOf(paths, { leftOut: ["__MACOSX/", "a/.env.local", ".ssh/"] })).toEqual([
    "a/.env.local:0 was left out: it may hold credentials",
    ".ssh/:0 was left out: it may hold credentials",
    "__MACOSX/:0 was left out: it is not part of a site",
    ".envrc:0 is kept, but never served",
    "a/.b/x:0 is kept, but never served",
  ]);
});

test("private keys are named with the way back, and not all of many", () => {
  const message =
    "holds a private key: deploy again without it, delete this deployment (vitrine deployments delete, or";
  expect(warnAboutPrivateKeys({ privateKeys: ["a.pem"] })).toEqual([
    { file: "a.pem", line: 0, message: expect.stringContaining(message) },
  ]);
  const many = Array.from({ length: 50_000 }, (_, n) => `${n}.pem`);
  expect(warnAboutPrivateKeys({ privateKeys: many })).toHaveLength(20);
});

test.each([
  [[], []],
  [["_headers"], []],
  [
    ["a.html"],
    ["a.html:0 is a text that is not UTF-8: it is sent without a charset, so that its own declaration decides"],
  ],
  [["a.html", ".env", "b.txt"], [expect.stringContaining("a.html:0 is a text that is not UTF-8, like 1 other: it is")]],
  [["a.html", "b.txt", "c.js"], [expect.stringContaining("is not UTF-8, like 2 others: it is sent")]],
])("texts %j that are not UTF-8 are a warning", (paths, expected) => {
  const legacyTexts = paths.map((path) => ({ path, digest: "0".repeat(64), size: 1 }));
  expect(warningsOf(["index.html"], { legacyTexts })).toEqual(expected as string[]);
});

describe("names that are not UTF-8", () => {
  const READ = "names in the archive are not UTF-8 and were read as code page 437:";
  const ADVICE = "If they look wrong, create the archive with UTF-8 names";
  test.each([
    [[], []],
    [["old-ü"], [`old-ü:0 ${READ} "old-ü". ${ADVICE}`]],
    [["a", "b", "c"], [`a:0 ${READ} "a", "b", "c". ${ADVICE}`]],
    [["a", "b", "c", "d", "e"], [`a:0 ${READ} "a", "b", "c" and 2 more. ${ADVICE}`]],
  ])("%j are a warning", (guessedNames, expected) => {
    expect(warningsOf(["index.html"], { guessedNames })).toEqual(expected);
  });
});
