import { expect, test } from "bun:test";
import { describeEnded, NOTHING_ENDED } from "./transfer.ts";

test.each([
  [{}, ""],
  [{ tokens: 1 }, "1 token"],
  [{ tokens: 2, shares: 1, webhooks: 3, publishers: 1 }, "2 tokens, 1 share, 3 webhooks, 1 publisher"],
])("the end of %j is described as %j", (some, words) => {
  expect(describeEnded({ ...NOTHING_ENDED, ...some })).toBe(words);
});
