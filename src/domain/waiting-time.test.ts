import { expect, test } from "bun:test";
import { formatWaitingTime } from "./waiting-time.ts";

test.each([
  [1, "1 second"],
  [59, "59 seconds"],
  [60, "1 minute"],
  [661, "12 minutes"],
  [3541, "1 hour"],
  [7200, "2 hours"],
])("%p seconds are %p", (seconds, text) => {
  expect(formatWaitingTime(seconds)).toBe(text);
});
