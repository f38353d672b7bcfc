import { expect, test } from "bun:test";
import { auditQuery, NO_FILTER } from "./audit-query.ts";

test("an empty filter requests everything", () => {
  expect(auditQuery({ ...NO_FILTER, actor: "  " })).toBe("");
});

test("days are in the browser's time zone, and the last one is included", () => {
  const query = new URLSearchParams(
    auditQuery({ actor: "ada", site: "a b", action: "POST /deploy", from: "2026-11-21", to: "2026-11-30" }),
  );
  expect(Object.fromEntries(query)).toEqual({
    actor: "ada",
    site: "a b",
    action: "POST /deploy",
    from: new Date(2026, 10, 21).toISOString(),
    to: new Date(2026, 11, 1).toISOString(),
  });
});
