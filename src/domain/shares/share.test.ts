import { expect, test } from "bun:test";
import { targetOfHost } from "./share.ts";

test.each([
  ["diary.example.org", true, ""],
  ["www.example.com", true, ""],
  ["xn--bcher-kva.example.com", true, ""],
  ["3--diary.example.org", false, "3"],
  ["pr-12--diary.example.org", false, "pr-12"],
])("the target of %s (live: %p) is %p", (host, isLive, target) => {
  expect(targetOfHost(host, isLive)).toBe(target);
});
