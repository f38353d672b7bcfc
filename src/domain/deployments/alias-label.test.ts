import { expect, test } from "bun:test";
import { aliasLabel, requireAliasLabel } from "./alias-label.ts";

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const label = (name: string, siteName = "demo") => aliasLabel(name, siteName, sha256);

test.each([
  ["pr-12", "pr-12"],
  ["Feature/Login_Form", "feature-login-form"],
  ["--a--b--", "a-b"],
  ["v1.2.3", "v1-2-3"],
  ["12a", "12a"],
  ["1-2", "1-2"],
  ["größe", "gr-e"],
  ["日本 preview", "preview"],
  ["xn", null],
  ["123", null],
  ["日本", null],
  ["-", null],
  ["", null],
])("%j becomes %j", (name, expected) => {
  expect(label(name)).toBe(expected);
});

test("a label and its site fill 63 characters, and a longer one is truncated and ends in a hash", () => {
  const longest = "a".repeat(57);
  expect(`${label(longest)}--demo`).toBe(`${longest}--demo`);
  const longer = `${longest}a`;
  expect(label(longer)).toBe(`${"a".repeat(50)}-${sha256(longer).slice(0, 6)}`);
  expect(`${label(longer)}--demo`).toHaveLength(63);
});

test("names that differ only after the truncation get different labels, also by upper and lower case", () => {
  const names = ["b", "c", "C"].map((end) => `${"a".repeat(60)}${end}`);
  expect(new Set(names.map((name) => label(name))).size).toBe(3);
});

test("truncation never creates two consecutive hyphens", () => {
  const name = `${"a".repeat(49)}-${"b".repeat(20)}`;
  expect(label(name)).toBe(`${"a".repeat(49)}-${sha256(name).slice(0, 6)}`);
});

test("a site with the longest name leaves eleven characters", () => {
  const site = "s".repeat(50);
  expect([label("feature-one", site), label("feature-ones", site)]).toEqual([
    "feature-one",
    `feat-${sha256("feature-ones").slice(0, 6)}`,
  ]);
});

test("a label is its own label", () => {
  for (const name of ["Feature/Login", "a".repeat(80)]) expect(label(label(name)!)).toBe(label(name));
});

test("an invalid alias is refused with the name of the field", () => {
  expect(() => requireAliasLabel("12", "demo", sha256, ["path", "alias"])).toThrow("An alias needs a letter");
});
