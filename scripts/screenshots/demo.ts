import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import { startTestServer, type TestServer } from "../../src/acceptance/testing/test-server.ts";
import { createPasswords } from "../../src/clients/identity/passwords.ts";
import { systemSecrets } from "../../src/clients/system/secrets.ts";
import { startSession } from "../../src/domain/accounts/sessions.ts";
import { DAY, HOUR } from "../../src/domain/timestamp.ts";
import { operate } from "./console.ts";
import { claimDomains } from "./domains.ts";
import { countVisits } from "./visits.ts";
import { addWebhooks } from "./webhooks.ts";

/** A server with six weeks of activity, at readable host names. */
export interface Demo {
  readonly server: TestServer;
  readonly host: string;
  /** A token of a session of ada, whose password is `PASSWORD`. */
  readonly token: string;
  /** A token of a session of a user without sites. */
  readonly newcomer: string;
  /** A server that was just started, at its own host. */
  readonly fresh: TestServer;
  /** Chromium's host resolver rules for both servers. */
  readonly hostRules: string;
  stop(): Promise<void>;
}

const HOST = "vitrine.example";
const FRESH_HOST = "fresh.example";
const PASSWORD = "correct horse battery";
const BEGAN = 45;

interface Deployed {
  readonly daysAgo: number;
  readonly site: string;
  readonly by: "ada" | "CI";
  /** The pages that are new or changed. */
  readonly pages: readonly string[];
  readonly redirects?: string;
  readonly message?: string;
  /** The branch, or `main` for deployments from a workflow. */
  readonly branch?: string;
  /** Creates a preview with this alias, which expires after `lifetime`. */
  readonly alias?: string;
  readonly lifetime?: string;
}

const RULES = [
  "# The manual became the guide in 3.0",
  "/old /guide/start 301",
  "/manual /guide/ 301",
  "/manual/* /guide/:splat 301",
  "/download/:version /releases/:version 302",
  "/help https://help.example/ 302",
].join("\n");

const HEADERS = "/*\n  Permissions-Policy: camera=()\n/guide/*\n  Content-Security-Policy: default-src 'self'\n";

const HISTORY: readonly Deployed[] = [
  { daysAgo: 41, site: "field-notes", by: "ada", pages: ["index", "about", "2025/winter"] },
  { daysAgo: 38, site: "atlas-docs", by: "ada", pages: ["index", "guide/start", "guide/deploy", "reference"] },
  {
    daysAgo: 33,
    site: "atlas-docs",
    by: "CI",
    pages: ["guide/deploy", "guide/domains", "guide/rollback"],
    message: "Add the German quick start – Schnellstart für Ungeduldige",
  },
  { daysAgo: 30, site: "portfolio", by: "ada", pages: ["index", "work", "contact"] },
  {
    daysAgo: 21,
    site: "atlas-docs",
    by: "CI",
    pages: ["reference", "guide/readers"],
    redirects: "/old /guide/start 301\n/legacy/* /guide/:splat 999\n",
    message: "Release notes for 3.2",
  },
  { daysAgo: 18, site: "handbook", by: "ada", pages: ["index", "travel", "equipment", "onboarding"] },
  { daysAgo: 12, site: "field-notes", by: "ada", pages: ["index", "2026/owls"] },
  { daysAgo: 9, site: "launch-2027", by: "ada", pages: ["index"] },
  {
    daysAgo: 6,
    site: "atlas-docs",
    by: "CI",
    pages: ["guide/tokens", "index"],
    redirects: RULES,
    message: "Update the search index",
  },
  {
    daysAgo: 4,
    site: "atlas-docs",
    by: "ada",
    pages: ["index", "release"],
    message: "Candidate for 3.1",
    branch: "release-3.1",
    alias: "v3-1-rc",
    lifetime: "101h",
  },
  { daysAgo: 3, site: "field-notes", by: "ada", pages: ["2026/draft"], alias: "draft", lifetime: "1h" },
  { daysAgo: 2, site: "portfolio", by: "ada", pages: ["work", "index"] },
  {
    daysAgo: 1.2,
    site: "atlas-docs",
    by: "CI",
    pages: ["index", "guide/start", "guide/deploy", "guide/domains", "reference"],
    message: "Redesign: new navigation and typography",
    branch: "redesign",
    alias: "redesign",
    lifetime: "90d",
  },
  { daysAgo: 0.4, site: "spring-2027", by: "ada", pages: ["index"], alias: "first-idea", message: "First idea" },
  {
    daysAgo: 0.1,
    site: "atlas-docs",
    by: "CI",
    pages: ["index", "changelog"],
    message: "Fix broken anchors in the install guide",
  },
  {
    daysAgo: 0.05,
    site: "atlas-docs",
    by: "CI",
    pages: ["guide/uploads", "index"],
    message: "Explain incremental uploads, with a table of what each client sends",
    branch: "docs/incremental",
    alias: "pr-52",
  },
];

const PRIVATE = new Set(["handbook", "launch-2027"]);

/** Starts a server and fills it with its clock in the past. `flags` are command-line flags. */
export async function startDemo(flags: Record<string, string> = {}): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-demo-"));
  const logo = join(folder, "logo.svg");
  await Bun.write(logo, LOGO);
  const server = await startTestServer({
    "brand-name": "Atlas Hosting",
    "brand-color": "#0f766e",
    "brand-logo": logo,
    "brand-contact": "mailto:help@atlas.example",
    "base-url": `http://${HOST}`,
    workers: "1",
    "routing-targets": "A:203.0.113.7,AAAA:2001:db8::7",
    "dns-resolvers": "127.0.0.1:9",
    "max-user-sites": "25",
    "max-user-bytes": "5GiB",
    "keep-last": "20",
    ...flags,
  });
  server.advance(-BEGAN * DAY);
  const token = await addPeople(server);
  await replay(server, token);
  // The job does not trust a clock that was turned back.
  await server.store.previews.expire(server.clock.now(), 10);
  await protect(server, token);
  await addTags(server, token);
  await countVisits(server, ["atlas-docs", "field-notes", "portfolio", "handbook"]);
  await claimDomains(server, "atlas-docs");
  await addWebhooks(server, "atlas-docs");
  await keepDeployments(server, token);
  await configureAccess(server, token);
  await operate(server, token);
  await signInElsewhere(server);
  const { token: newcomer } = await server.signUp("newcomer");
  const fresh = await startTestServer({ "base-url": `http://${FRESH_HOST}`, workers: "1" });
  return {
    server,
    host: HOST,
    token,
    newcomer,
    fresh,
    hostRules: `MAP ${FRESH_HOST} 127.0.0.1:${fresh.config.listen.port}, MAP * 127.0.0.1:${server.config.listen.port}`,
    async stop() {
      for (const running of [server, fresh]) await running[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function addPeople({ store, clock, signUp }: TestServer): Promise<string> {
  const ada = await store.users.add({
    provider: "local",
    subject: "ada",
    login: "ada",
    name: "Ada Lovelace",
    avatarUrl: null,
    mayOwn: true,
    passwordHash: await createPasswords().hash(PASSWORD),
    createdAt: clock.now(),
  });
  for (const login of ["grace", "margaret"]) await signUp(login);
  const ports = { store, clock, secrets: systemSecrets };
  const userId = ada?.id ?? 0;
  return (await startSession(ports, { userId, clientName: "Firefox", address: "198.51.100.24" })).token;
}

/** Ada's other devices. */
async function signInElsewhere({ store, clock, advance }: TestServer): Promise<void> {
  const userId = (await store.users.findByLogin("local", "ada"))?.id ?? 0;
  const ports = { store, clock, secrets: systemSecrets };
  for (const [clientName, address, hoursAgo] of [
    ["vitrine on workbench", "198.51.100.24", 50],
    ["Safari", "203.0.113.80", 3],
  ] as const) {
    advance(-hoursAgo * HOUR);
    await startSession(ports, { userId, clientName, address });
    advance(hoursAgo * HOUR);
  }
}

/** Publishes every deployment through the public API, at its own time. */
async function replay(server: TestServer, token: string): Promise<void> {
  const contents = new Map<string, Record<string, string>>();
  let daysAgo = BEGAN;
  let deploymentToken = "";
  for (const deployed of HISTORY) {
    server.advance((daysAgo - deployed.daysAgo) * DAY);
    daysAgo = deployed.daysAgo;
    const files = filesOf(deployed, contents.get(deployed.site) ?? {});
    contents.set(deployed.site, files);
    const first = deployed.site === "atlas-docs" && deployed.by === "ada" && deploymentToken === "";
    const credential = deployed.by === "CI" ? deploymentToken : token;
    await server.deploy(credential, await zipOf(files), {
      site: deployed.site,
      ...(PRIVATE.has(deployed.site) ? { access: "private" } : {}),
      headers: originOf(deployed),
    });
    if (first) deploymentToken = await mintToken(server, token);
  }
  server.advance(daysAgo * DAY);
}

function originOf({ by, site, daysAgo, message, branch, alias, lifetime }: Deployed): Record<string, string> {
  const commit = new Bun.CryptoHasher("sha1").update(`${site} ${daysAgo}`).digest("hex");
  return {
    ...(message === undefined ? {} : { "X-Service-Message": encodeURIComponent(message) }),
    ...(by === "CI" ? { "X-Service-Commit": commit, "X-Service-Ref": `refs/heads/${branch ?? "main"}` } : {}),
    ...(alias === undefined ? {} : { "X-Service-Alias": alias }),
    ...(lifetime === undefined ? {} : { "X-Service-Expires": lifetime }),
  };
}

function filesOf({ site, daysAgo, pages, redirects }: Deployed, before: Record<string, string>) {
  const files = { ...before };
  for (const page of pages) {
    files[`${page}.html`] =
      `<!doctype html><title>${site}</title><h1>${page}</h1>\n${linksOf(page)}\n` +
      `<p>${daysAgo} ${"Lorem ipsum. ".repeat(200)}</p>`;
  }
  files["style.css"] ??= "body { font: 18px/1.6 system-ui }\n".repeat(60);
  if (redirects !== undefined) files._redirects = redirects;
  files["404.html"] ??= "<!doctype html><title>Not found</title><h1>Not found</h1>";
  if (site === "atlas-docs") files._headers = HEADERS;
  const icon = ICONS[site];
  if (icon) files["favicon.svg"] ??= `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">${icon}</svg>`;
  return files;
}

/** Links of some pages, which the report of a deployment judges. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  index: ["/style.css", "/index"],
  changelog: ["/manual/start"],
  "guide/uploads": [
    "/guide/upload-limits",
    "/guide/start#clients",
    "/Reference",
    "/guide/deploy",
    "http://localhost:3000/",
  ],
};

function linksOf(page: string): string {
  return (LINKS[page] ?? []).map((address) => `<a href="${address}">${address}</a>`).join("\n");
}

/** The operator's logo on the pages that visitors get instead of a site's. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="9" fill="#0f766e"/><path d="M18 7 28 28H8z" fill="#fff"/></svg>';

/** Icons of some sites. The others show their initial. */
const ICONS: Readonly<Record<string, string>> = {
  "atlas-docs":
    '<rect width="28" height="28" fill="#0f766e"/><path d="M14 5 22 22H6z" fill="#fff"/><path d="M14 12v10" stroke="#0f766e" stroke-width="2"/>',
  "field-notes":
    '<rect width="28" height="28" fill="#dff0dc"/><path d="M7 21C7 12 12 7 21 7c0 9-5 14-14 14z" fill="#2f7d32"/>',
};

const TAGS: Readonly<Record<string, readonly string[]>> = {
  "atlas-docs": ["docs", "open-source"],
  handbook: ["internal", "docs"],
  "launch-2027": ["client"],
  "field-notes": ["blog"],
};

async function addTags({ call }: TestServer, token: string): Promise<void> {
  for (const [site, tags] of Object.entries(TAGS)) await call("PUT", `/sites/${site}/tags`, { token, json: { tags } });
}

async function mintToken(server: TestServer, token: string): Promise<string> {
  const json = { site_name: "atlas-docs", name: "GitHub Actions" };
  const response = await server.call("POST", "/tokens", { token, json });
  return ((await response.json()) as { token: string }).token;
}

async function protect({ call }: TestServer, token: string): Promise<void> {
  for (const provider_login of ["grace", "margaret"]) {
    await call("POST", "/sites/handbook/access/readers", { token, json: { provider_login } });
  }
}

/** Makes previews private, adds a share of each kind, and adds a trusted publisher. */
async function configureAccess({ call }: TestServer, token: string): Promise<void> {
  const site = "/sites/atlas-docs";
  await call("PUT", `${site}/previews`, { token, json: { access: "private" } });
  const target = { alias: "redesign" };
  for (const json of [
    { label: "Playwright in CI", kind: "automation", target, expires_in: "365d" },
    { label: "Printer, Kestrel & Söhne", kind: "password", target, password: PASSWORD },
    { label: "Review of the redesign", kind: "link", target, expires_in: "14d" },
  ]) {
    await call("POST", `${site}/shares`, { token, json });
  }
  await call("POST", `${site}/publishers`, {
    token,
    json: {
      provider: "github",
      repository: "atlas/docs",
      workflow: "deploy.yml",
      environment: "production",
      permission: "publish",
    },
  });
}

async function keepDeployments({ call }: TestServer, token: string): Promise<void> {
  await call("POST", "/sites/atlas-docs/deployments/2/pin", { token });
  await call("PUT", "/sites/portfolio/retention", { token, json: { keep_last: 5, keep_days: 90 } });
}
