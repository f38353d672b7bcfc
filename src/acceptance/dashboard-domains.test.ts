import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { openSettings, show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories(() => startDomainsServer());

const HOSTNAME = "www.shop.example";

beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>shop</h1>" }), { site: "shop" });
});

/** Checks a claim until something shows that the check has told. On a busy machine, look-ups may exceed their limits. */
async function checkUntil(shown: Locator, check: () => Promise<void>): Promise<void> {
  let isShown = false;
  while (!isShown) {
    vitrine.advance(1001);
    await check();
    isShown = await shown.waitFor({ timeout: CHECK_AGAIN_MS }).then(
      () => true,
      () => false,
    );
  }
}
const CHECK_AGAIN_MS = 20_000;

test("a custom domain is connected step by step, and removed again", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shop/domains");
  await page.getByText("No custom domains yet").waitFor();
  await page.getByLabel("Domain", { exact: true }).fill(HOSTNAME);
  await page.getByRole("button", { name: "Add domain" }).click();

  const claim = page.getByRole("article", { name: HOSTNAME });
  const step = claim.locator("[aria-current=step]");
  const check = () => claim.getByRole("button", { name: "Check now" }).click();
  await step.getByText("Verify ownership").waitFor();
  expect(await claim.getByText(`_vitrine-challenge.${HOSTNAME}`, { exact: true }).isVisible()).toBe(true);
  expect(await claim.getByText("127.0.0.1", { exact: true }).isVisible()).toBe(true);
  const value = await step.getByText(/^token=/).textContent();
  await checkUntil(claim.getByText("DNS: TXT record not there yet"), check);
  expect(await claim.locator(".notice").count()).toBe(0);

  vitrine.names.zone[`TXT _vitrine-challenge.${HOSTNAME}`] = [value ?? ""];
  await checkUntil(step.getByText("Point the domain to this server"), check);
  await claim.getByText("DNS record", { exact: true }).click();
  expect(await claim.getByText(value ?? "", { exact: true }).isVisible()).toBe(true);
  expect(await step.getByText("127.0.0.1").count()).toBe(1);

  vitrine.names.zone[`A ${HOSTNAME}`] = ["127.0.0.1"];
  await checkUntil(claim.locator("header").getByText("Connected"), check);
  expect(await (await vitrine.visitHostname(HOSTNAME)).text()).toBe("<h1>shop</h1>");

  await claim.getByRole("button", { name: `Remove ${HOSTNAME}` }).click();
  await page.getByRole("button", { name: "Remove domain" }).click();
  await page.getByText(`${HOSTNAME} was removed.`).waitFor();
  await page.getByText("No custom domains yet").waitFor();
  await page.getByText("Inactive domains (1)").waitFor();
  // A check whose look-ups exceeded their limits was answered 503, which the browser reports.
  expect(errors.filter((error) => !error.includes("503"))).toEqual([]);
});

test("a pending claim is checked automatically while its page is open", async () => {
  const { page } = await open();
  await page.clock.install();
  const claim = await vitrine.claim(ada, "shop", "self.shop.example");
  await page.goto("/dashboard/sites/shop/domains");
  const article = page.getByRole("article", { name: claim.hostname });
  await article.getByText("Verify ownership").waitFor();
  vitrine.prove(claim);
  const step = article.locator("[aria-current=step]").getByText("Point the domain to this server");
  await checkUntil(step, () => page.clock.fastForward("00:10"));

  // Also if the page is left during a check.
  const requested = Promise.withResolvers<void>();
  const response = Promise.withResolvers<void>();
  let looks = 0;
  await page.route("**/check", async (route) => {
    looks += 1;
    requested.resolve();
    await response.promise;
    await route.fulfill({ status: 503, json: { detail: "no DNS resolver answers" } });
  });
  await page.clock.fastForward("00:10");
  await requested.promise;
  await openSettings(page, "CI access");
  await page.getByText("No tokens yet").waitFor();
  const answered = page.waitForResponse("**/check");
  response.resolve();
  await (await answered).finished();
  for (let tick = 0; tick < 3; tick++) await page.clock.fastForward("00:10");
  expect(looks).toBe(1);
});

test("the error of an invalid hostname is shown at its field and stays there", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/shop/domains");
  await page.getByLabel("Domain", { exact: true }).fill("127.0.0.1");
  await page.getByRole("button", { name: "Add domain" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("Domain", { exact: true }).inputValue()).toBe("127.0.0.1");
});
