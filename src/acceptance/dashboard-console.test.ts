import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import { routes } from "../api/routes/routes.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { DAY } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { reloadUntil, show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, share } = await browserStories();

/** A session of an operator who signed in with a password. */
let olivia: string;

beforeAll(async () => {
  const { id } = await addLocalAccount(vitrine, "olivia");
  await vitrine.store.users.setOperator(id, true);
  olivia = (await signIn(vitrine, "olivia")).cookies().get("vitrine") as string;
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "shop" });
});

test("only operators have the console, and its link in the navigation", async () => {
  const { page } = await share(olivia);
  const link = page.getByRole("link", { name: "Console", exact: true });
  await page.goto("/admin/sites");
  await page.getByRole("row", { name: /^shop/ }).waitFor();
  await link.click();
  await page.getByRole("link", { name: "People", exact: true }).click();
  await page.getByRole("row", { name: /^ada/ }).waitFor();
  await page.route("**/auth/me", async (route) => {
    const user = await (await route.fetch()).json();
    await route.fulfill({ json: { ...user, operator: false } });
  });
  await reloadUntil(page, page.getByRole("heading", { name: "For operators", exact: true }));
  expect(await link.count()).toBe(0);
});

test("an operator invites a user with a link", async () => {
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/people");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByLabel("Login", { exact: true }).fill("newcomer");
  await page.getByRole("button", { name: "Create link", exact: true }).click();
  const link = new URL((await page.getByRole("dialog").locator("code").textContent()) ?? "");
  await page.getByRole("button", { name: "Done", exact: true }).click();
  const invitation = await vitrine.call("GET", link.pathname);
  expect(await invitation.text()).toContain("newcomer");
  expect(await latestChanges(1)).toEqual(["Invited newcomer"]);
});

test("an operator limits and freezes a user, and the account stops working at once", async () => {
  const { token } = await vitrine.signUp("grace");
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/people");
  await page.getByRole("row", { name: /^ada/ }).waitFor();
  await page.getByLabel("Search by login or name").fill("grace");
  await page.getByRole("row", { name: /^ada/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Manage grace", exact: true }).click();
  await page.getByLabel("Site limit").fill("3");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("grace was changed.", { exact: true }).waitFor();
  await page.getByLabel("Reason, shown to the person").fill("invoice 4711");
  await page.getByRole("button", { name: "Freeze…", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Freeze grace?" });
  await question.getByText("They own no sites.").waitFor();
  await question.getByRole("button", { name: "Freeze", exact: true }).click();
  await page.getByRole("button", { name: "Unfreeze", exact: true }).waitFor();
  const refused = await vitrine.call("GET", "/auth/me", { token });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("invoice 4711")]);
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await page.getByRole("row", { name: /^grace Frozen.* of 3 / }).waitFor();
  await page.getByLabel("Search by login or name").fill("");
  await page.getByRole("row", { name: /^ada/ }).waitFor();
  await page.getByRole("button", { name: "Frozen 1", exact: true }).click();
  await page.getByRole("row", { name: /^ada/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /^grace Frozen/ }).waitFor();
  expect(await latestChanges(2)).toEqual(["Changed grace: frozen", "Changed grace: max_sites 3"]);
});

test("a person's dialog stays open while the list changes, has their newest data, and says when they were deleted", async () => {
  await vitrine.signUp("ida");
  const { page } = await share(olivia);
  const elsewhere = (method: string, json?: object) =>
    vitrine.call(method, "/admin/users/ida", { token: olivia, ...(json ? { json } : {}) });
  await show(page, "/dashboard/console/people");
  await page.getByRole("button", { name: "Manage ida", exact: true }).click();
  await page.getByLabel("Site limit").fill("12");
  await elsewhere("PATCH", { frozen: { reason: "found elsewhere" } });
  await page.getByText(/^Frozen since .*: found elsewhere/).waitFor();
  expect(await page.getByLabel("Site limit").inputValue()).toBe("12");
  expect((await elsewhere("DELETE")).status).toBe(204);
  await page.getByRole("alert").getByText("ida was deleted meanwhile.").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  // The list reloads by itself, sooner or later than the dialog.
  await page.getByRole("row", { name: /^ida/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /^ada/ }).waitFor();
});

test("a dangerous action asks for the password if the last sign-in is too old, and then continues", async () => {
  await vitrine.signUp("mary");
  vitrine.advance(DAY);
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/people");
  await page.getByRole("button", { name: "Manage mary", exact: true }).click();
  await page.getByLabel("Reason, shown to the person").fill("half a sentence");
  await page.getByRole("button", { name: "Make operator", exact: true }).click();
  await page.getByRole("heading", { name: "Confirm your password", exact: true }).waitFor();
  await page.getByLabel("Password", { exact: true }).fill("not it");
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await page.getByText("The password is wrong", { exact: true }).waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await page.getByText("mary was changed.", { exact: true }).waitFor();
  expect((await vitrine.store.users.findByLogin("local", "mary"))?.operator).toBe(true);
  expect(await page.getByLabel("Reason, shown to the person").inputValue()).toBe("half a sentence");
  expect(await latestChanges(2)).toEqual(["Changed mary: operator on", "Confirmed the password"]);
});

test("an operator of a cluster sees its nodes and drains one", async () => {
  const { page } = await share(olivia);
  const seen = { address: "http://10.0.4.11:8080", version: "0.5.0", last_seen_at: "2026-11-20T16:05:12.418Z" };
  const nodes = [
    { name: "eu-1", state: "live", applied: 7, ...seen },
    { name: "eu-2", state: "live", applied: 5, ...seen },
    { name: "eu-3", state: "isolated", applied: 2, ...seen },
  ];
  await page.route("**/admin/nodes", (route) => route.fulfill({ json: nodes }));
  await page.route("**/admin/nodes/eu-2/drain", (route) => {
    nodes[1]!.state = "draining";
    return route.fulfill({ status: 202, json: nodes[1] });
  });
  await show(page, "/dashboard/console");
  const card = page.getByRole("region", { name: "Nodes", exact: true });
  await card.getByText("2 live, 1 isolated", { exact: true }).waitFor();
  expect(await card.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/eu-1.*Up to date/s),
    expect.stringMatching(/eu-2.*2 changes behind/s),
    expect.stringMatching(/eu-3.*Last seen .*Isolated/s),
  ]);
  await card.getByRole("button", { name: "Actions for the node eu-2", exact: true }).click();
  await page.getByRole("menuitem", { name: "Drain…", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain", exact: true }).click();
  await card.getByText("1 live, 1 draining, 1 isolated", { exact: true }).waitFor();
});

test("an operator transfers a site and finds it in the audit log", async () => {
  await vitrine.mintDeploymentToken("shop");
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/sites");
  await page.getByRole("button", { name: "Manage shop", exact: true }).click();
  await page.getByLabel("Transfer to", { exact: true }).fill("olivia");
  const ends = page.getByRole("group", { name: "Ends with the transfer", exact: true });
  await ends.getByLabel("Webhooks", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await page.getByText("shop belongs to olivia now. Ended: 1 token.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  const transferred = page.getByText("Transferred the site to olivia, and ended 1 token", { exact: true });
  await transferred.waitFor();
  await page.getByLabel("Who", { exact: true }).fill("ada");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await transferred.waitFor({ state: "detached" });
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV", exact: true }).click();
  expect((await download).suggestedFilename()).toBe("audit.csv");
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("row", { name: /^--workers 1 command line/ }).waitFor();
});

test("the overview has charts, health checks, and jobs that an operator runs", async () => {
  const { page } = await share(olivia);
  await show(page, "/dashboard/console");
  await page.getByText(/\d+ checks? passed/).waitFor();
  await page.locator(".metric-plot canvas").nth(7).waitFor();
  await page.getByText("30 days", { exact: true }).click();
  await page.getByRole("region", { name: "Charts of the last 30 days" }).waitFor();
  await page.getByRole("button", { name: "Run Apply deployment retention now", exact: true }).click();
  await page.getByText("Apply deployment retention: started.", { exact: true }).waitFor();
  await page.getByRole("link", { name: /^All \d+$/ }).click();
  await page.getByRole("row", { name: /^Done Deliver webhooks looks for work every second/ }).waitFor();
  expect(await latestChanges(1)).toEqual(["Ran the job retention"]);
});

test("an operator creates, verifies, downloads and deletes a backup", async () => {
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/backups");
  await page.getByRole("heading", { name: "No backups yet", exact: true }).waitFor();
  await page.getByRole("button", { name: "Back up now", exact: true }).click();
  await page.getByText("Not verified yet", { exact: true }).waitFor();
  const choose = async (action: string) => {
    await page.getByRole("button", { name: /^Actions for the backup of/ }).click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
  };
  await choose("Verify");
  await page.getByText(/^Verified /).waitFor();
  const downloading = page.waitForEvent("download");
  await choose("Download");
  expect((await downloading).suggestedFilename()).toMatch(/^vitrine-\d{8}T\d{9}Z\.tar$/);
  await choose("Delete…");
  await page.getByRole("button", { name: "Delete backup", exact: true }).click();
  await page.getByRole("heading", { name: "No backups yet", exact: true }).waitFor();
  const words = (await latestChanges(4)).map((change) => change.split(" ")[0]);
  expect(words).toEqual(["Deleted", "Downloaded", "Requested", "Requested"]);
});

test("every other operation of an operator is recorded too", async () => {
  const { id: userId } = await addLocalAccount(vitrine, "joan");
  const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
  for (const clientName of ["laptop", "phone"]) await startSession(ports, { userId, clientName, address: null });
  const { token } = await vitrine.signUp("maker");
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "short-lived" });
  const { page } = await share(olivia);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await vitrine.call("POST", "/auth/confirm", { token: olivia, json: { password: PASSWORD } });
  await show(page, "/dashboard/console/people");
  await press("Manage joan");
  await press("Create link");
  await page.getByRole("button", { name: "Copy the link", exact: true }).waitFor();
  await page.getByRole("button", { name: "End the session of laptop", exact: true }).click();
  await page.getByText("The session of laptop was ended.", { exact: true }).waitFor();
  await press("End all");
  await page.getByText("The sessions of joan were ended.", { exact: true }).waitFor();
  await press("Delete…");
  await page.getByLabel("Type joan to confirm").fill("joan");
  await press("Delete user");
  await page.getByText("joan was deleted.", { exact: true }).waitFor();
  await show(page, "/dashboard/console/sites");
  await press("Manage short-lived");
  await press("Freeze");
  await press("Unfreeze");
  await page.getByText("short-lived is unfrozen.", { exact: true }).waitFor();
  await press("Delete…");
  await page.getByLabel("Type short-lived to confirm").fill("short-lived");
  await press("Delete site");
  await page.getByText("short-lived was deleted.", { exact: true }).waitFor();
  expect(await latestChanges(7)).toEqual([
    "Deleted the site",
    "Unfroze the site",
    "Froze the site",
    "Deleted the user joan",
    "Ended all sessions of joan",
    "Ended a session of joan",
    "Created a password link for joan",
  ]);
});

/** Needs a cluster, whose responses the story replaces. src/api/nodes.test.ts checks its record. */
const OF_A_CLUSTER = ["POST /admin/nodes/:node_name/drain"];

test("these stories cover every recorded operation of an operator, and the audit log shows each", async () => {
  const recorded = await bodyOf(await vitrine.call("GET", "/admin/audit?actor=olivia&limit=1000", { token: olivia }));
  const done = new Set([...OF_A_CLUSTER, ...recorded.map(({ action }) => action)]);
  const operations = routes.filter(({ auth, audit }) => auth === "operator" && audit !== null);
  expect(operations.map(({ method, path }) => `${method} ${path}`).filter((action) => !done.has(action))).toEqual([]);
  const { page } = await share(olivia);
  await show(page, "/dashboard/console/audit");
  for (const { summary } of recorded) await page.getByText(summary, { exact: true }).first().waitFor();
});

test("a long list is loaded page by page", async () => {
  const { page } = await share(olivia);
  const first = (await (await vitrine.call("GET", "/admin/users?limit=2", { token: olivia })).json()) as UserPage;
  const [one, two] = first.users.map(({ login }) => page.getByText(login, { exact: true })) as [Locator, Locator];
  await page.route(/\/admin\/users\?limit=100/, (route) => {
    const isSecond = route.request().url().endsWith("&cursor=second");
    const json = isSecond
      ? { users: [first.users[1]], next_cursor: null }
      : { users: [first.users[0]], next_cursor: "second" };
    return route.fulfill({ json });
  });
  await show(page, "/dashboard/console/people");
  await one.waitFor();
  expect(await two.count()).toBe(0);
  await page.getByRole("button", { name: "Load more", exact: true }).click();
  await two.waitFor();
  await page.getByRole("button", { name: "Load more", exact: true }).waitFor({ state: "detached" });
});

interface UserPage {
  readonly users: readonly { readonly login: string }[];
}

/** The latest changes by the operator, newest first. */
async function latestChanges(limit: number): Promise<string[]> {
  const changes = await vitrine.call("GET", `/admin/audit?actor=olivia&limit=${limit}`, { token: olivia });
  return (await bodyOf(changes)).map(({ summary }) => summary);
}

async function bodyOf(response: Response): Promise<{ action: string; summary: string }[]> {
  return (await response.json()) as { action: string; summary: string }[];
}
