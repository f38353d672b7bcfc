import type { RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { PHONE } from "./dashboard.ts";

const SOURCE = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

const OPTIONS: RunOptions = {
  // The contrast takes longer than all else, and is tested for every rule of the style sheets (public/styles/tokens.test.ts).
  rules: { "color-contrast": { enabled: false } },
  // Describing what passes, and naming each element by a selector, takes as long as the check.
  resultTypes: ["violations"],
  selectors: false,
  preload: false,
};

/** Returns what axe finds in the whole page, or in the parts that `selector` selects. */
export async function faultsOf(page: Page, selector: string | null = null): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(SOURCE);
  const part = selector === null ? "document" : JSON.stringify(selector);
  return page.evaluate<string[]>(`axe.run(${part}, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
}

/** Returns what axe finds in the page on a phone, and whether the page is wider than that. */
export async function faultsOnPhone(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE);
  const width = await page.evaluate<number>(
    "Math.max(...[document.documentElement, document.querySelector('main')].map(({ scrollWidth }) => scrollWidth))",
  );
  return [...(width > PHONE.width ? [`${width} pixels wide`] : []), ...(await faultsOf(page))];
}
