import { expect, test } from "bun:test";
import { FIRST_VIEW, queryOf, viewOf } from "./view.ts";

test.each([
  ["", FIRST_VIEW],
  ["?show=private", { ...FIRST_VIEW, kind: "private" as const }],
  ["?tag=new+site&q=a%26b", { ...FIRST_VIEW, tag: "new site", text: "a&b" }],
  ["?sort=-views", { ...FIRST_VIEW, sort: { column: "views" as const, descending: true } }],
  ["?sort=deployed", { ...FIRST_VIEW, sort: { column: "deployed" as const, descending: false } }],
])("%p is parsed to a view and formatted back", (query, view) => {
  expect(viewOf(query)).toEqual(view);
  expect(queryOf(view)).toBe(query);
});

test.each(["?show=nothing", "?sort=colour", "?other=1"])("%p is the default view", (query) => {
  expect(viewOf(query)).toEqual(FIRST_VIEW);
});
