import { expect, test } from "bun:test";
import { generateSiteName } from "../sites/generate-name.ts";
import { requireSiteName, siteNameProblem } from "./site-name.ts";

const secrets = {
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  sha256: (text: string) => text,
};

test.each(["a", "my-site", "a1", "1a", "x".repeat(50), "brisk-otter-4821"])("%s is a valid site name", (name) => {
  expect(siteNameProblem(name)).toBeNull();
});

test.each([
  ["", "it is empty"],
  ["x".repeat(51), "it is longer than 50 characters"],
  ["My-Site", "only a-z, 0-9 and - are allowed"],
  ["a.b", "only a-z, 0-9 and - are allowed"],
  ["a_b", "only a-z, 0-9 and - are allowed"],
  ["a b", "only a-z, 0-9 and - are allowed"],
  ["ümlaut", "only a-z, 0-9 and - are allowed"],
  ["__proto__", "only a-z, 0-9 and - are allowed"],
  ["-a", "it may not begin or end with a hyphen"],
  ["a-", "it may not begin or end with a hyphen"],
  ["7--a", "it may not contain two hyphens in a row"],
  ["xn--caf-dma", "it may not contain two hyphens in a row"],
  ["12345", "it may not consist of digits alone"],
  ["www", "this name is reserved"],
  ["api", "this name is reserved"],
  ["admin", "this name is reserved"],
])("%p is an invalid site name: %s", (name, problem) => {
  expect(siteNameProblem(name)).toBe(problem);
});

test("every generated name is a valid site name", () => {
  for (let round = 0; round < 2000; round++) expect(siteNameProblem(generateSiteName(secrets))).toBeNull();
});

test("the server's own names are reserved", () => {
  expect(() => requireSiteName("panel", "panel")).toThrow("site name is invalid: this name is reserved");
  expect(() => requireSiteName("panel", "vitrine")).not.toThrow();
});
