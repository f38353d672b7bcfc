import { expect, test } from "bun:test";
import { tagsIn, withTags } from "./tags.ts";

test.each<[text: string, tags: string[]]>([
  ["", []],
  [" , ,", []],
  ["docs", ["docs"]],
  ["Client, new site ,client", ["client", "new site"]],
])("%p has the tags %j", (text, tags) => {
  expect(tagsIn(text)).toEqual(tags);
});

test("added tags come last, without duplicates", () => {
  expect(withTags(["b", "a"], ["c", "a"])).toEqual(["b", "a", "c"]);
});
