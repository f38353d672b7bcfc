import { expect, test } from "bun:test";
import { panelsOf } from "./panels.ts";

test.each([
  ["deployer", ["members", "tokens"]],
  ["maintainer", ["access", "members", "domains", "tokens", "shares", "webhooks", "retention"]],
  ["owner", ["access", "members", "domains", "tokens", "shares", "webhooks", "retention", "danger"]],
] as const)("the settings of a %s are %j", (role, panels) => {
  expect(panelsOf(role)).toEqual([...panels]);
});
