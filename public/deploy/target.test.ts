import { expect, test } from "bun:test";
import { siteNamed } from "../testing/site.ts";
import { targetOf } from "./target.ts";

const blog = siteNamed("blog");
const frozen = siteNamed("stopped", { frozen: { since: blog.created, reason: null } });
const sites = [blog, frozen];

test("an unused name, and no name, create a site", () => {
  expect(targetOf("shop", sites)).toEqual({ kind: "create" });
  expect(targetOf("", sites)).toEqual({ kind: "create" });
  expect(targetOf("", undefined)).toEqual({ kind: "create" });
});

test("the name of an own site updates that site", () => {
  expect(targetOf("blog", sites)).toEqual({ kind: "update", site: blog });
});

test("a name is neither new nor taken before the list of sites is loaded", () => {
  expect(targetOf("blog", undefined)).toEqual({ kind: "unknown" });
});

test.each([
  ["Ünï code!", "Choose another name: only a-z, 0-9 and - are allowed. Try uni-code."],
  ["!!!", "Choose another name: only a-z, 0-9 and - are allowed."],
  ["WWW", "Choose another name: only a-z, 0-9 and - are allowed."],
  ["www", "Choose another name: this name is reserved."],
  ["stopped", "stopped is frozen. Ask the operator of this server."],
])("%p is refused with a reason: %s", (name, reason) => {
  expect(targetOf(name, sites)).toEqual({ kind: "refused", reason });
});
