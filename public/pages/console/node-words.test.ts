import { expect, test } from "bun:test";
import type { ClusterNode } from "../../api/types.ts";
import { lagText, statesText } from "./node-words.ts";

const node = (applied: number, state: ClusterNode["state"] = "live"): ClusterNode => ({
  name: "eu-1",
  address: "http://10.0.4.11:8080",
  version: "0.5.0",
  state,
  applied,
  last_seen_at: "2026-11-20T16:05:12.418Z",
});

test.each([
  [7, "Up to date"],
  [6, "1 change behind"],
  [2, "5 changes behind"],
])("a node that has applied %d of 7 changes: %s", (applied, text) => {
  const behind = node(applied);
  expect(lagText(behind, [node(7), behind, node(0)])).toBe(text);
});

test.each([
  ["1 live", ["live"]],
  ["2 live, 1 draining, 1 isolated", ["live", "isolated", "draining", "live"]],
] as const)("%s", (text, states) => {
  expect(statesText(states.map((state) => node(1, state)))).toBe(text);
});
