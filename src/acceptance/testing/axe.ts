import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/**
 * Each size and each theme once. The layout depends on the size, and colours on the theme: each text colour is readable
 * on each of its grounds in both themes (public/styles/tokens.test.ts).
 */
const VIEWS = [
  { width: 390, theme: "dark" },
  { width: 1440, theme: "light" },
] as const;

/** Returns what axe finds in each view, in the whole page or in the parts that `selector` selects. */
export async function faultsOf(page: Page, selector: string | null = null): Promise<string[]> {
  const faults: string[] = [];
  for (const { width, theme } of VIEWS) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    // If it is in the page already, it is not loaded again, which takes as long as the check.
    const isLoaded = await page.evaluate<boolean>("'axe' in window");
    const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ";" } : {}) })
      .setLegacyMode()
      // Describing what passes, and naming each element by a selector, takes as long as the check.
      .options({ resultTypes: ["violations"], selectors: false, preload: false });
    if (selector !== null) axe.include(selector);
    const { violations } = await axe.analyze();
    faults.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${width} ${theme} ${id}: ${html}`)));
  }
  return faults;
}
