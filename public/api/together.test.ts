import { expect, test } from "bun:test";
import { ApiError } from "./client.ts";
import type { Resource } from "./resource.ts";
import { together } from "./together.ts";

const RESOURCE: Resource<string> = {
  data: undefined,
  error: undefined,
  loads: 0,
  reload: () => Promise.resolve(),
  set: () => {},
};
const loaded = { ...RESOURCE, data: "main" };
const failed = { ...RESOURCE, error: new ApiError(500, "broken") };

test.each([
  ["nothing else", [], "main"],
  ["another one that is loaded", [loaded], "main"],
  ["another one that is loading", [loaded, RESOURCE], undefined],
  ["another one that has failed", [loaded, failed], "main"],
] as const)("data with %s", (_what, others, data) => {
  expect(together(loaded, ...others).data).toBe(data);
});
