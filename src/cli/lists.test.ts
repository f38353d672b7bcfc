import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { EXECUTABLE } from "./program/executable.ts";
import { main } from "./program/main.ts";
import { capturedTerminal } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

/** Runs a command at a terminal of 80 columns, with these responses of the server. Returns the lines of its output. */
async function shown(answers: Readonly<Record<string, unknown>>, ...args: string[]): Promise<string[]> {
  const responses = Object.entries(answers).map(([call, answer]) => [call, Response.json(answer)] as const);
  await using server = stubServer(Object.fromEntries(responses));
  const terminal = {
    ...capturedTerminal({ VITRINE_SERVER: server.url, VITRINE_TOKEN: "vts_1", XDG_CONFIG_HOME: "/nowhere" }),
    dataColumns: 80,
  };
  expect([await main(args, EXECUTABLE, terminal), terminal.err.filter((text) => text.startsWith("error"))]).toEqual([
    0,
    [],
  ]);
  const lines = terminal.out.join("").trimEnd().split("\n");
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  return lines;
}

const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000 + 60_000).toISOString();

test("the list of deployments shows which is live, and previews with their alias and expiry", async () => {
  const deployment = (number: number, values: object) => ({
    deployment_number: number,
    active: false,
    created_at: "2026-11-20T12:05:12.418Z",
    activated_at: "2026-11-20T12:05:12.418Z",
    expires_at: null,
    actor: "ada",
    file_count: 42,
    size_bytes: 48213,
    url: `https://${number}--brisk-otter-4821.pages.example.org`,
    message: null,
    commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    ref: "refs/heads/main",
    ...values,
  });
  const lines = await shown(
    {
      "GET /sites/brisk-otter-4821/deployments": [
        deployment(12, { activated_at: null, expires_at: inDays(30), message: "Try a darker header on all pages" }),
        deployment(11, { active: true, message: "Fix the typo" }),
        deployment(10, {}),
      ],
      "GET /sites/brisk-otter-4821/aliases": [
        { name: "pr-12", deployment_number: 12 },
        { name: "staging", deployment_number: 12 },
      ],
    },
    "deployments",
    "list",
    "brisk-otter-4821",
  );
  expect(lines.map((line) => line.replace(/2026-11-20 \d\d:\d\d/, "(created)       "))).toEqual([
    "NUMBER  STATE    CREATED           ALIAS           EXPIRES  MESSAGE          BY",
    "12      preview  (created)         pr-12, staging  in 30 d  Try a darker h…  ada",
    "11      live     (created)                                  Fix the typo     ada",
    "10      earlier  (created)                                                   ada",
  ]);
});

test("the list of sites fits the terminal, also if their names and URLs are long", async () => {
  const site = (name: string, values: object) => ({
    name,
    created: "2026-11-01T12:30:00.000Z",
    last_deployed_at: "2026-11-20T12:05:12.418Z",
    private: false,
    size_bytes: 48213,
    active_deployment: 3,
    total_views: 1290,
    tags: [],
    ...values,
  });
  const hosting = { site_url: "https://{site}.pages.example.org" };
  const long = "the-handbook-of-everybody-who-works-in-the-office-in-lyon";
  const list = (...sites: readonly object[]) =>
    shown({ "GET /sites": sites, "GET /capabilities/hosting": hosting }, "sites", "list");
  const few = await list(site("hello", {}), site("atlas-docs", { private: true, tags: ["client"] }));
  expect(few.map((line) => line.replace(/2026-11-20 \d\d:\d\d/, "(deployed)"))).toEqual([
    "NAME        ACCESS   URL                                   LAST DEPLOYED",
    "hello       public   https://hello.pages.example.org       (deployed)",
    "atlas-docs  private  https://atlas-docs.pages.example.org  (deployed)",
  ]);
  expect((await list(site("hello", {}), site(long, {})))[0]).toMatch(/^NAME +ACCESS +LAST DEPLOYED +VIEWS +SIZE$/);
});

test("analytics show the days with visits, and the most frequent pages, referrers and missing paths", async () => {
  const nothing = { views: 0, visitors: 0, bot_views: 0, bytes: 0 };
  const busy = { views: 1290, visitors: 348, bot_views: 77, bytes: 48_213_000 };
  const analytics = {
    from: "2026-11-19",
    to: "2026-11-20",
    total: busy,
    days: [
      { day: "2026-11-19", ...nothing },
      { day: "2026-11-20", ...busy },
    ],
    pages: Array.from({ length: 12 }, (_, at) => ({ path: `/${at}/${"long-".repeat(20)}`, views: 100 - at })),
    referrers: [{ host: "news.example.com", views: 112 }],
    not_found: [{ path: "/old-page", requests: 9 }],
  };
  const lines = await shown({ "GET /sites/hello/analytics": analytics }, "analytics", "hello");
  expect(lines.slice(0, 5)).toEqual([
    "DAY         VIEWS  VISITORS  BOT VIEWS  TRAFFIC",
    "2026-11-20  1,290  348       77         46 MiB",
    "",
    "VIEWS  PAGE",
    expect.stringMatching(/^100 {4}\/0\/long-.*…$/),
  ]);
  expect(lines.slice(13)).toEqual([
    expect.stringMatching(/^91 {5}\/9\//),
    "",
    "VIEWS  REFERRER",
    "112    news.example.com",
    "",
    "REQUESTS  NOT FOUND",
    "9         /old-page",
  ]);
});

test("the list of members has the owner first, and groups by their mark", async () => {
  const member = (login: string, role: string, added_by: string | null) => ({
    login,
    role,
    added_at: "2026-11-20T12:05:12.418Z",
    added_by,
  });
  const members = [
    member("ada", "owner", null),
    member("grace", "maintainer", "ada"),
    member("@docs", "deployer", "ada"),
  ];
  const lines = await shown({ "GET /sites/hello/members": members }, "members", "list", "hello");
  expect(lines.map((line) => line.replace(/2026-11-20 \d\d:\d\d/, "(added)"))).toEqual([
    "LOGIN  ROLE        SINCE             ADDED BY",
    "ada    owner       (added)",
    "grace  maintainer  (added)  ada",
    "@docs  deployer    (added)  ada",
  ]);
});
