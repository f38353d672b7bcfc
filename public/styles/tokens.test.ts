import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { contrastOf } from "../../src/serving/pages/contrast.ts";

/** The style sheets by their paths. */
const SHEETS = new Map<string, string>();
for (const file of new Glob("**/*.css").scanSync(join(import.meta.dir, ".."))) {
  SHEETS.set(file, await Bun.file(join(import.meta.dir, "..", file)).text());
}

/** Each colour by its name, in the light and in the dark. */
const COLORS = new Map([
  ["white", ["#ffffff", "#ffffff"] as const],
  ...[...(SHEETS.get("styles/tokens.css") ?? "").matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, [light, dark]] as const,
  ),
]);

function colorsOf(name: string): readonly [light: string, dark: string] {
  const colors = COLORS.get(name);
  if (!colors) throw new Error(`there is no colour --${name}`);
  return colors;
}

const TEXTS = ["text", "muted", "faint", "accent", "good", "warn", "bad", "cold"];
const TINTS = ["accent-tint", "good-tint", "warn-tint", "bad-tint", "cold-tint"];
/** Each of the texts may stand on each of these, so a rule may set one of them whatever is inside. */
const GROUNDS = ["ground", "surface", "raised", "sunken", "hover", "pressed", "selected", ...TINTS];
/** Lines, dots, bars and boxes, which have no text on them. */
const DECORATIONS = ["line", "control-line", "good-dot", "accent", "accent-solid", "chart", "chart-bar", "chart-2"];

/** Text colours, with the grounds that they may stand on. */
const PAIRS = new Map([
  ...TEXTS.map((text) => [text, GROUNDS] as const),
  ["on-ink", ["ink", "ink-hover"]],
  ["white", ["accent-solid", "bad-solid"]],
]);

test.each([...PAIRS])("--%s is readable on each of its grounds in both themes", (text, grounds) => {
  for (const ground of grounds) {
    for (const theme of [0, 1] as const) {
      const contrast = contrastOf(colorsOf(text)[theme], colorsOf(ground)[theme]);
      expect([ground, theme, contrast >= 4.5]).toEqual([ground, theme, true]);
    }
  }
});

/** Rules of which `isReadable` cannot know that their text is readable, or that they have none. */
const EXCEPTIONS = new Set([
  // The slash between two links, an arrow, a knob, what fades out, what covers the page behind a dialog.
  ".crumbs li + li::before",
  ".switch input:checked::after",
  ".consent select",
  ".later",
  ".dialog::backdrop",
  // Icons without text, and a placeholder that breathes.
  ".shy",
  "to",
  // The colour of their text is set where their ground without a pointer is.
  ".framed :is(button, a.button):hover",
  ".button.primary:hover",
  ".button.danger:hover",
]);

test.each([...SHEETS])("in %s each rule keeps text colours to their grounds, and text opaque", (_file, source) => {
  // Only rules without others in them match.
  const matches = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{};]+)\{([^{}]*)\}/g);
  const rules = [...matches].map(([, selector = "", style = ""]) => [selector.trim(), style] as const);
  expect(rules.filter(([selector, style]) => !EXCEPTIONS.has(selector) && !isReadable(style))).toEqual([]);
});

function isReadable(style: string): boolean {
  const [color] = colorsIn(style, "color");
  const grounds = colorsIn(style, "background(?:-color)?");
  if (/\bopacity: 0?\.\d/.test(style)) return false;
  if (color === undefined) return grounds.every((ground) => [...GROUNDS, ...DECORATIONS].includes(ground));
  // Without a ground of its own, a text stands on one of all.
  if (grounds.length === 0) return TEXTS.includes(color);
  return grounds.every((ground) => PAIRS.get(color)?.includes(ground));
}

/** The names of the colours in a property's value. */
function colorsIn(style: string, property: string): string[] {
  const value = new RegExp(`(?:^|[\\s;])${property}:([^;]*)`).exec(style)?.[1] ?? "";
  return [...value.replaceAll("#fff", "var(--white)").matchAll(/var\(--([\w-]+)/g)].map(([, name = ""]) => name);
}

test("only the tokens differ between the themes", () => {
  const themed = [...SHEETS].filter(([, source]) => /light-dark|prefers-color-scheme|data-theme/.test(source));
  expect(themed.map(([file]) => file)).toEqual(["styles/tokens.css"]);
});
