import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { contrastOf } from "../../src/serving/pages/contrast.ts";

/** The style sheets by their paths. */
const SHEETS = new Map<string, string>();
for (const file of new Glob("**/*.css").scanSync(join(import.meta.dir, ".."))) {
  SHEETS.set(file, await Bun.file(join(import.meta.dir, "..", file)).text());
}

type Color = readonly [light: string, dark: string];

/** Returns each colour of a style sheet by its name. */
function colorsOf(source: string): ReadonlyMap<string, Color> {
  const tokens = source.replaceAll("#fff,", "#ffffff,").matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g);
  const named = [...tokens].map(([, name = "", light = "", dark = ""]) => [name, [light, dark]] as const);
  return new Map<string, Color>([["white", ["#ffffff", "#ffffff"]], ...named]);
}

/** The least contrast of two colours in either theme; 0 if one of them is missing. */
function leastContrast(colors: ReadonlyMap<string, Color>, text: string, ground: string): number {
  const [one, other] = [colors.get(text), colors.get(ground)];
  return one && other ? Math.min(contrastOf(one[0], other[0]), contrastOf(one[1], other[1])) : 0;
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
  const colors = colorsOf(SHEETS.get("styles/tokens.css") ?? "");
  expect(grounds.filter((ground) => leastContrast(colors, text, ground) < 4.5)).toEqual([]);
});

test("on the server's own pages each text colour is readable on its ground in both themes", async () => {
  const colors = colorsOf(await Bun.file(join(import.meta.dir, "../../src/serving/pages/page.css")).text());
  const texts = ["brand", "text", "muted", "faint"].map((text) => [text, "ground"] as const);
  const pairs = [...texts, ["on-ink", "ink"] as const];
  expect(pairs.filter(([text, ground]) => leastContrast(colors, text, ground) < 4.5)).toEqual([]);
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

/** What a text colour may be besides a token: that of the element around it, or of the system (forced colours). */
const NO_TOKEN = /^\s*(inherit|currentcolor|transparent|HighlightText)\s*$/i;

function isReadable(style: string): boolean {
  const value = declared(style, "color");
  const [color] = colorsIn(style, "color");
  if (value !== "" && color === undefined && !NO_TOKEN.test(value)) return false;
  const grounds = colorsIn(style, "background(?:-color)?");
  if (/\bopacity: 0?\.\d/.test(style)) return false;
  if (color === undefined) return grounds.every((ground) => [...GROUNDS, ...DECORATIONS].includes(ground));
  // Without a ground of its own, a text stands on one of all.
  if (grounds.length === 0) return TEXTS.includes(color);
  return grounds.every((ground) => PAIRS.get(color)?.includes(ground));
}

/** The names of the colours in a property's value. */
function colorsIn(style: string, property: string): string[] {
  return [
    ...declared(style, property)
      .replaceAll("#fff", "var(--white)")
      .matchAll(/var\(--([\w-]+)/g),
  ].map(([, name = ""]) => name);
}

function declared(style: string, property: string): string {
  return new RegExp(`(?:^|[\\s;])${property}:([^;]*)`).exec(style)?.[1] ?? "";
}

test("only the tokens differ between the themes", () => {
  const themed = [...SHEETS].filter(([, source]) => /light-dark|prefers-color-scheme|data-theme/.test(source));
  expect(themed.map(([file]) => file)).toEqual(["styles/tokens.css"]);
});
