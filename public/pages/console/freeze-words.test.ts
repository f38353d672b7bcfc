import { expect, test } from "bun:test";
import { freezeWarning } from "./freeze-words.ts";

test.each([
  [0, "grace can no longer sign in or deploy. They own no sites."],
  [1, "grace can no longer sign in or deploy, and 1 site of theirs goes offline at once."],
  [1200, "grace can no longer sign in or deploy, and 1,200 sites of theirs go offline at once."],
])("before a person with %i sites is frozen, it is said what goes offline", (sites, warning) => {
  expect(freezeWarning({ login: "grace", sites })).toBe(warning);
});
