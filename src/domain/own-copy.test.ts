import { expect, test } from "bun:test";
import { heldMebibytes } from "../testing/held-memory.ts";
import { ownCopy } from "./own-copy.ts";

test("a copy of a substring does not keep the whole string in memory", async () => {
  const pad = "q".repeat(100_000);
  const held = await heldMebibytes(() =>
    Array.from({ length: 1000 }, (_, i) => {
      const { url } = new Request(`http://a.test/${i}?${pad}`);
      return ownCopy(url.slice(0, url.indexOf("?")));
    }),
  );
  expect(held).toBeLessThan(50);
});

test.each(["", "/plain", "/caf\u00e9", "\ud83d\ude00"])("%j is equal to its copy", (text) => {
  expect(ownCopy(text)).toBe(text);
});
