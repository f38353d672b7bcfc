import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** A size and a theme. With `colours`, only the contrast is checked. */
interface View {
  readonly width: number;
  readonly theme: "light" | "dark";
  readonly rules: "all" | "colours";
}

/** Each size has both themes. Of the second one only the colours differ. */
export const VIEWS: readonly View[] = [
  { width: 1440, theme: "light", rules: "all" },
  { width: 1440, theme: "dark", rules: "colours" },
  { width: 390, theme: "dark", rules: "all" },
  { width: 390, theme: "light", rules: "colours" },
];

/** Returns what axe finds in each view, in the whole page or in the parts that `selector` selects. */
export async function faultsOf(page: Page, views = VIEWS, selector: string | null = null): Promise<string[]> {
  const faults: string[] = [];
  for (const { width, theme, rules } of views) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    // If it is in the page already, it is not loaded again, which takes as long as the check.
    const isLoaded = await page.evaluate<boolean>("'axe' in window");
    const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ";" } : {}) })
      .setLegacyMode()
      // Describing what passes takes as long as the check.
      .options({ resultTypes: ["violations"] });
    if (selector !== null) axe.include(selector);
    const { violations } = await (rules === "all" ? axe : axe.withRules("color-contrast")).analyze();
    faults.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${width} ${theme} ${id}: ${html}`)));
  }
  return faults;
}
