import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { contrastOf } from "../../src/serving/pages/contrast.ts";

const TOKENS = await Bun.file(join(import.meta.dir, "tokens.css")).text();

/** Each colour by its name, in the light and in the dark. */
const COLORS = new Map(
  [...TOKENS.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, [light, dark]] as const,
  ),
);

function colorsOf(name: string): readonly [light: string, dark: string] {
  const colors = COLORS.get(name);
  if (!colors) throw new Error(`there is no colour --${name}`);
  return colors;
}

const GROUNDS = ["ground", "surface", "raised", "sunken", "hover", "pressed", "selected", "accent-tint"];
const STATES = ["good", "warn", "bad", "cold"];

/** Text colours, with the grounds that they may stand on. */
const PAIRS: readonly (readonly [text: string, grounds: readonly string[]])[] = [
  ...["text", "muted", "faint", "accent"].map((text) => [text, GROUNDS] as const),
  ...STATES.map((state) => [state, [...GROUNDS, `${state}-tint`]] as const),
  ["on-ink", ["ink", "ink-hover"]],
];

test.each(PAIRS)("--%s is readable on each of its grounds in both themes", (text, grounds) => {
  for (const ground of grounds) {
    for (const theme of [0, 1] as const) {
      const contrast = contrastOf(colorsOf(text)[theme], colorsOf(ground)[theme]);
      expect([ground, theme, contrast >= 4.5]).toEqual([ground, theme, true]);
    }
  }
});

test.each(["accent-solid", "bad-solid"])("white is readable on --%s in both themes", (ground) => {
  for (const color of colorsOf(ground)) expect(contrastOf("#ffffff", color)).toBeGreaterThanOrEqual(4.5);
});

test("only the tokens differ between the themes", async () => {
  const files = await Array.fromAsync(new Glob("*.css").scan(import.meta.dir));
  const themed: string[] = [];
  for (const file of files) {
    const source = await Bun.file(join(import.meta.dir, file)).text();
    if (/light-dark|prefers-color-scheme|data-theme/.test(source)) themed.push(file);
  }
  expect(themed).toEqual(["tokens.css"]);
});
