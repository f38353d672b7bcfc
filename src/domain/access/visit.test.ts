import { expect, test } from "bun:test";
import type { CodeUse, VisitCode } from "../ports/store/visits.ts";
import { isCodeGoodFor, visitQuery } from "./visit.ts";

const use: CodeUse = { host: "diary.example", siteId: 1, stateHash: "state", now: 59_999 };
const code: VisitCode = { ...use, codeHash: "code", userId: 1, sessionId: 1, path: "/", expiresAt: 60_000 };

test.each<[string, Partial<CodeUse>, boolean]>([
  ["its host, site and browser", {}, true],
  ["another host", { host: "other.example" }, false],
  ["a site that was created again under the name", { siteId: 2 }, false],
  ["another browser", { stateHash: "another" }, false],
  ["a moment too late", { now: 60_000 }, false],
])("a code presented for %s", (_what, change, expected) => {
  expect(isCodeGoodFor(code, { ...use, ...change })).toBe(expected);
});

test.each([
  [`/${"x".repeat(1999)}`, true],
  [`/${"x".repeat(2000)}`, false],
  ["//elsewhere.example", false],
  ["/\\elsewhere.example", false],
])("a visitor returns after the sign-in to %j: %p", (path, isKept) => {
  const query = visitQuery({ host: "diary.example", path, stateHash: "state" });
  expect(query.get("path")).toBe(isKept ? path : "/");
});
