import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open } = await browserStories();

beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "blog" });
});

test("an API URL that is opened in a browser redirects to its page in the dashboard", async () => {
  const { page } = await open();
  await page.goto("/sites");
  await page.getByRole("link", { name: "blog" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  await page.goto("/sites/blog/domains");
  await page.getByRole("heading", { name: "Custom domains", exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/sites/blog/settings/domains");
  await page.goto("/auth/me");
  await page.getByText("Signed in as ada").waitFor();
});

test("a URL that does not exist shows a page with links", async () => {
  const { page } = await open(null);
  const response = await page.goto("/nowhere");
  expect(response?.status()).toBe(404);
  await page.getByRole("heading", { name: "Page not found", exact: true }).waitFor();
  await page.getByRole("link", { name: "Go to the dashboard" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
});

test("a download without a session asks for a sign-in, and with one it sends the file", async () => {
  const path = "/sites/blog/deployments/1/archive";
  const { page } = await open(null);
  await page.goto(path);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("return_to")).toBe(path);
  const { page: signedIn } = await open();
  const download = signedIn.waitForEvent("download");
  await signedIn.goto(path).catch(() => {});
  expect((await download).suggestedFilename()).toBe("blog-1.zip");
});

test("programs get JSON, including scripts in a page and clients that accept HTML", async () => {
  const { page } = await open();
  await page.goto("/");
  expect(
    await page.evaluate<string>("fetch('/sites').then((answer) => answer.json()).then(([{ name }]) => name)"),
  ).toBe("blog");
  const headers = { Accept: "text/html, image/gif, *; q=.2, */*; q=.2" };
  const sites = await vitrine.call("GET", "/sites", { token: ada, headers });
  expect(await sites.json()).toEqual([expect.objectContaining({ name: "blog" })]);
  const refused = await vitrine.call("GET", "/sites", { headers: { Accept: "*/*" } });
  expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/json;charset=utf-8"]);
  expect(await (await vitrine.call("GET", "/health", { headers })).json()).toEqual({ status: "ok" });
});
