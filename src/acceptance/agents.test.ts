import { expect } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { clientInMemory, REDIRECT } from "../api/testing/agent.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { browserStories } from "./testing/stories.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { test, vitrine, open } = await browserStories();

test("a person connects an agent by the address, promotes its preview, and ends its access", async () => {
  await addLocalAccount(vitrine, "grace");
  const { page } = await open(null);

  // The address is copied from the dashboard.
  await page.goto("/dashboard/account/agents");
  await signIn();
  const address = (await page.getByText("/mcp").first().textContent()) ?? "";
  await vitrine.deploy(await sessionOf(), await zipOf({ "index.html": "<h1>Old</h1>", "404.html": "" }), {
    site: "blog",
  });

  // The agent sends the person to the consent page.
  let consent = "";
  const { provider } = clientInMemory((url) => {
    consent = url.href;
  });
  const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  const first = transport();
  const connected = await new Client({ name: "story", version: "1" }).connect(first).catch(() => null);
  expect(connected).toBeNull();
  await page.goto(consent);
  await page.getByRole("heading", { name: "Connect this agent?" }).waitFor();
  expect(await page.getByText("127.0.0.1:7777").count()).toBe(1);
  await page.getByRole("checkbox", { name: "blog" }).check();
  const answer = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
  await page.getByRole("button", { name: "Approve" }).click();
  await first.finishAuth(new URL((await answer).url()).searchParams);

  // It publishes a preview.
  const client = new Client({ name: "story", version: "1" });
  await client.connect(transport());
  const files = [
    { path: "index.html", content: '<h1>New</h1><a href="/nowhere">there</a>' },
    { path: "404.html", content: "" },
  ];
  const made = await client.callTool({
    name: "deploy_files",
    arguments: { site: "blog", files, message: "A new page" },
  });
  expect(made.structuredContent).toMatchObject({ site: "blog", deployment_number: 2, active: false });
  // The server waits for a report for a limited time, in which a busy machine may not make it.
  const report = await waitUntil(
    () => client.callTool({ name: "report", arguments: { site: "blog" } }),
    ({ structuredContent }) => (structuredContent as { status?: string }).status !== "pending",
  );
  expect(report.structuredContent).toMatchObject({ status: "ready", summary: { new_errors: 1 } });
  expect(await live()).toBe(1);

  // The person sees the difference and the report, and promotes it.
  await page.goto("/dashboard/account/agents");
  await page.getByText("Made deployment 2 as a preview").waitFor();
  await page.getByRole("button", { name: "Promote deployment 2 of blog" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("/nowhere").first().waitFor();
  await dialog.getByText("~1").first().waitFor();
  await dialog.getByRole("button", { name: "Publish #2" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await live()).toBe(2);

  // The session is ended, and the agent is out.
  await page.getByRole("button", { name: "End the session of Claude" }).click();
  await page.getByRole("button", { name: "End session" }).click();
  await page.getByText("No agent is connected.").waitFor();
  const call = client.callTool({ name: "sites_list", arguments: {} });
  expect(
    await call.then(
      () => "in",
      () => "out",
    ),
  ).toBe("out");

  async function signIn() {
    await page.getByLabel("Login").fill("grace");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
  }

  /** The number of the deployment that visitors get. */
  async function live(): Promise<number | undefined> {
    const listed = await vitrine.call("GET", "/sites/blog/deployments", { token: await sessionOf() });
    const deployments = (await listed.json()) as { active: boolean; deployment_number: number }[];
    return deployments.find(({ active }) => active)?.deployment_number;
  }

  /** The token in the cookie of the window. */
  async function sessionOf(): Promise<string> {
    const cookies = await page.context().cookies();
    return cookies.find(({ name }) => name === "vitrine")?.value ?? "";
  }
});

test("agents reach the base host alone, so that a page whose name leads here cannot be one", async () => {
  const { token } = await vitrine.signUp("heidi");
  await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "diary" });
  const { port } = new URL(vitrine.baseUrl);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const statusAt = async (host: string) => {
    const headers = {
      Host: `${host}:${port}`,
      Origin: `http://${host}:${port}`,
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    return (await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body })).status;
  };
  const hosts = ["localhost", "127.0.0.1", "evil.example", "diary.localhost"];
  expect(await Promise.all(hosts.map(statusAt))).toEqual([200, 200, 404, 405]);
});
