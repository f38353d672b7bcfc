import { expect, test } from "bun:test";
import { leftOutBy, mayHoldCredentials } from "./left-out.ts";

test.each<[path: string, leftOut: string | null, hasCredentials: boolean]>([
  ["index.html", null, false],
  ["__MACOSX/._a", "__MACOSX/", false],
  ["a/.git/objects/00", "a/.git/", false],
  [".svn/entries", ".svn/", false],
  [".hg/store/x", ".hg/", false],
  [".ssh/known_hosts", ".ssh/", true],
  ["home/.aws/credentials", "home/.aws/", true],
  ["a/.DS_Store", "a/.DS_Store", false],
  ["Thumbs.db", "Thumbs.db", false],
  [".env", ".env", true],
  ["a/.env.local", "a/.env.local", true],
  [".env.production.local", ".env.production.local", true],
  [".env.example.local", ".env.example.local", true],
  [".env.example", null, false],
  [".envrc", null, false],
  ["my.env", null, false],
  [".env/bin/python", null, false],
  [".npmrc", ".npmrc", true],
  ["a/.netrc", "a/.netrc", true],
  [".pypirc", ".pypirc", true],
  [".github/workflows/a.yml", null, false],
  [".gitignore", null, false],
  ["docs/.ssh", null, false],
])("%s is left out by %s", (path, leftOut, hasCredentials) => {
  expect(leftOutBy(path)).toBe(leftOut);
  if (leftOut !== null) expect(mayHoldCredentials(leftOut)).toBe(hasCredentials);
});

test.each([
  [".ssh", ".ssh/"],
  ["a/.git", "a/.git/"],
  [".env", null],
  [".npmrc", null],
])("the folder %s is left out by %s", (path, leftOut) => {
  expect(leftOutBy(path, true)).toBe(leftOut);
});
