import { expect, test } from "bun:test";
import { newCode, seal, unseal } from "./sealed.ts";

test("a sealed text can be opened with its own secret only", async () => {
  const sealed = await seal("secret", "text with ümlauts");
  expect(await unseal("secret", sealed)).toBe("text with ümlauts");
  expect(await unseal("another", sealed)).toBeNull();
  expect(sealed).not.toContain("text");
});

test("a text that was changed, truncated or never sealed cannot be opened", async () => {
  const sealed = await seal("secret", "text");
  const changed = sealed.replace(/.(.{6})$/, (end, rest: string) => (end.startsWith("A") ? "B" : "A") + rest);
  for (const text of [changed, sealed.slice(0, -8), "", ".", "a.b", "nonsense"]) {
    expect(await unseal("secret", text)).toBeNull();
  }
});

test("codes have 256 bits", () => {
  expect(newCode({ random: (length) => new Uint8Array(length).fill(255) })).toBe(`${"_".repeat(42)}8`);
});
