import { expect, test } from "bun:test";
import type { Role } from "../../../src/domain/model/role.ts";
import type { SiteRow } from "./rows.ts";
import { namesOf, refusalWords, selectionOf, selectionWords, successWords } from "./selection.ts";

const row = (name: string, role: Role = "owner") => ({ name, role }) as SiteRow;
const [atlas, blog, choir] = [row("atlas"), row("blog"), row("choir", "maintainer")];
const ALL = [atlas, blog, choir, row("handbook", "reader"), row("deployed", "deployer")];

test.each<[what: string, shown: readonly SiteRow[], names: string[], words: string]>([
  ["of the whole list", ALL, ["atlas", "choir"], "2 selected"],
  ["of a filtered list", [blog, choir], ["choir"], "1 selected, 1 hidden"],
  ["of a list without any of them", [blog], [], "0 selected, 2 hidden"],
])("the selection %s has what is shown, and counts what is hidden", (_what, shown, names, words) => {
  const selection = selectionOf(ALL, shown, new Set(["atlas", "choir", "handbook", "deployed", "deleted"]));
  expect(selection.rows.map(({ name }) => name)).toEqual(names);
  expect(selectionWords(selection)).toBe(words);
});

test.each([
  [1, "s1"],
  [2, "s1 and s2"],
  [3, "s1, s2 and s3"],
  [6, "s1, s2, s3, s4, s5 and s6"],
  [2006, "s1, s2, s3, s4, s5, s6 and 2,000 more"],
])("the names of %i sites are %p", (length, names) => {
  expect(namesOf(Array.from({ length }, (_, index) => row(`s${index + 1}`)))).toBe(names);
});

test("what was done, and what not, names the sites", () => {
  const refused = [
    { name: "blog", reason: "Site is frozen." },
    { name: "choir", reason: "x" },
  ];
  expect(successWords([atlas], "made private")).toBe("atlas was made private.");
  expect(successWords([atlas, blog], "made private")).toBe("atlas and blog were made private.");
  expect(refusalWords(refused.slice(0, 1), "deleted")).toBe("blog was not deleted. Site is frozen.");
  expect(refusalWords(refused, "deleted")).toBe("blog and choir were not deleted. blog: Site is frozen.");
});
