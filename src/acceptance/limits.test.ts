import { beforeAll, expect, test } from "bun:test";
import { runCli } from "../cli/testing/run-cli.ts";
import { LIMIT_SETTINGS, RATE_SETTINGS } from "../config/settings.ts";
import { zipOf } from "./testing/archives.ts";
import { serverStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

interface Shown {
  readonly limits: { name: string; setting: string | null; unit: string; value: number | null }[];
  readonly rates: { name: string; setting: string | null; count: number | null; seconds: number | null }[];
  readonly own: object | null;
}

const { vitrine, ada: token } = await serverStories(() =>
  startTestServer({
    "max-user-sites": "3",
    "idle-timeout": "30s",
    "claim-rate": "7/h",
    "visit-rate": "9/s",
  }),
);

beforeAll(async () => {
  await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "demo" });
});

async function shown(credential?: string): Promise<Shown> {
  const response = await vitrine.call("GET", "/capabilities/limits", { token: credential });
  expect(response.status).toBe(200);
  return (await response.json()) as Shown;
}

test("every limit and rate is shown with its value, including those that cannot be set", async () => {
  const { limits, rates } = await shown();
  const settings = [...limits, ...rates].flatMap(({ setting }) => (setting === null ? [] : [setting]));
  const flags = [LIMIT_SETTINGS, RATE_SETTINGS].flatMap((table) => Object.values(table).map(({ flag }) => flag));
  expect(settings).toEqual(flags);
  expect(limits).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "max_archive_bytes", unit: "bytes", value: 512 * 1024 * 1024 }),
      expect.objectContaining({ name: "max_user_sites", unit: "count", value: 3 }),
      expect.objectContaining({ name: "max_user_bytes", unit: "bytes", value: null }),
      expect.objectContaining({ name: "idle_timeout", unit: "seconds", value: 30 }),
      expect.objectContaining({ name: "max_json_bytes", setting: null, value: 65_536 }),
      expect.objectContaining({ name: "max_header_bytes", setting: null, value: 65_536 }),
    ]),
  );
  expect(rates).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "sign_in_rate", count: 10, seconds: 900 }),
      expect.objectContaining({ name: "claim_rate", count: 7, seconds: 3600 }),
      expect.objectContaining({ name: "visit_rate", count: 9, seconds: 1 }),
      expect.objectContaining({ name: "api_rate", count: null, seconds: null }),
    ]),
  );
});

test("users see their own limits; others, tokens and frozen users do not", async () => {
  expect((await shown(token)).own).toEqual({
    login: "ada",
    sites: { used: 1, limit: 3 },
    bytes: { used: 5, limit: null },
  });
  const { user, token: frozen } = await vitrine.signUp("eve");
  await vitrine.store.quotas.setOwn(user.id, { sites: null, bytes: 1000 });
  expect((await shown(frozen)).own).toEqual({
    login: "eve",
    sites: { used: 0, limit: null },
    bytes: { used: 0, limit: 1000 },
  });
  await vitrine.store.users.setFrozen(user.id, { at: 0, reason: null });
  const ci = await vitrine.mintDeploymentToken("demo");
  for (const credential of [undefined, "nonsense", ci.token, frozen]) {
    expect((await shown(credential)).own).toBeNull();
  }
});

test("the largest accepted request head is the documented one", async () => {
  const { limits } = await shown();
  const most = limits.find(({ name }) => name === "max_header_bytes")?.value ?? 0;
  const ask = (length: number) => vitrine.call("GET", "/version", { headers: { "X-Padding": "x".repeat(length) } });
  expect((await ask(most - 1000)).status).toBe(200);
  expect((await ask(most)).status).toBe(431);
});

test("vitrine limits prints the table, and the user's own limits if signed in", async () => {
  const printed = await runCli(["limits", "--server", vitrine.baseUrl, "--token", token]);
  expect(printed.status).toBe(0);
  expect(printed.stdout).toMatch(/^SETTING +VALUE +DESCRIPTION\n/);
  expect(printed.stdout).toMatch(/\n--max-archive-bytes +512 MiB +maximum size of an uploaded archive\n/);
  expect(printed.stdout).toMatch(/\n--idle-timeout +30 s /);
  expect(printed.stdout).toMatch(/\n\(max json bytes\) +64 KiB /);
  expect(printed.stdout).toMatch(/\n--sign-in-rate +10\/15m +maximum rate of sign-ins per IP address\n/);
  expect(printed.stdout).toMatch(/\n--api-rate +off /);
  expect(printed.stderr).toContain("ada has 1 of 3 sites with 5 bytes.");
  const nobody = await runCli(["limits", "--json", "--server", vitrine.baseUrl], { XDG_CONFIG_HOME: "/nowhere" });
  expect(JSON.parse(nobody.stdout)).toEqual(await shown());
});
