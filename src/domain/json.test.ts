import { expect, test } from "bun:test";
import { isJsonObject, parseJson, parseJsonObject } from "./json.ts";

test("a text that is not JSON has no value", () => {
  expect(["[1]", '"a"', "null", "", "{"].map(parseJson)).toEqual([[1], "a", null, null, null]);
});

test("lists and null are no objects", () => {
  expect(['{"a":1}', "[1]", "null", "3", "{"].map(parseJsonObject)).toEqual([{ a: 1 }, null, null, null, null]);
  expect([{}, [], null, "a"].map(isJsonObject)).toEqual([true, false, false, false]);
});
