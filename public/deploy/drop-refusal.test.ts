import { expect, test } from "bun:test";
import type { Site } from "../api/types.ts";
import { siteNamed } from "../testing/site.ts";
import { dropRefusal } from "./drop-refusal.ts";

const blog = siteNamed("blog");
const shop = siteNamed("shop", { frozen: { since: "2026-11-21T12:00:00.000Z", reason: null } });

test.each<[string, string | null, Site[] | undefined, string | null]>([
  ["a page without a site accepts a new one", null, [blog], null],
  ["a site's page takes its next deployment", "blog", [blog], null],
  ["nobody waits for the list of sites", "blog", undefined, null],
  ["another user's site is refused", "wiki", [blog], "You have no site named wiki."],
  ["a frozen site is refused", "shop", [shop], "shop is frozen. Ask the operator of this server."],
])("%s", (_fact, site, sites, refusal) => {
  expect(dropRefusal(site, sites)).toBe(refusal);
});
