import { expect, test } from "bun:test";
import { EVENT_TYPES } from "../../../../src/domain/model/events.ts";
import { EVENTS, summaryOf, wanted, wordsOf } from "./webhook-events.ts";

test("every event type has a label", () => {
  expect(EVENTS.map(([type]) => type)).toEqual([...EVENT_TYPES]);
});

test("an unknown event type is shown as it is", () => {
  expect([wordsOf("ping"), wordsOf("site.moved")]).toEqual(["Test", "site.moved"]);
});

test.each([
  [null, "All events"],
  [["site.deleted"], "Site deleted"],
  [["domain.verified", "domain.removed"], "Domain verified, Domain removed"],
  [EVENT_TYPES.slice(0, 4), "4 events"],
])("%j is shown as %p", (events, words) => {
  expect(summaryOf(events)).toBe(words);
});

test("all events include future ones", () => {
  expect(wanted(EVENT_TYPES)).toBeNull();
  expect(wanted(["site.deleted"])).toEqual(["site.deleted"]);
});
