import { expect, test } from "bun:test";
import { dispatch } from "./dispatch.ts";

const OPTIONS = { baseHosts: new Set(["pages.example"]), maxUrlLength: 100 };

/** The kind of the target, with the status of a refusal. */
function targetOf(host: string, target: string): string {
  const request = new Request(`http://${host}${target}`, { headers: { Host: host } });
  const found = dispatch(request, OPTIONS);
  return found.kind === "refused" ? `refused ${found.response.status}` : found.kind;
}

test.each([
  ["pages.example", "/sites", "api"],
  ["PAGES.example.:8080", "/sites", "api"],
  ["demo.example", "/sites", "site"],
  ["demo.example", "/.well-known/acme-challenge/x", "own"],
  ["demo.example", `/${"x".repeat(99)}`, "site"],
  ["demo.example", `/${"x".repeat(98)}?`, "site"],
  ["demo.example", `/${"x".repeat(100)}`, "refused 414"],
  ["demo.example", `/?${"x".repeat(99)}`, "refused 414"],
  ["a-host-that-is-long-does-not-count.example", `/${"x".repeat(99)}`, "site"],
])("a request to %s for %s goes to %s", (host, target, expected) => {
  expect(targetOf(host, target)).toBe(expected);
});
