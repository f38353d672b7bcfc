import { zipOf } from "../../src/acceptance/testing/archives.ts";
import { startTestServer, type TestServer } from "../../src/acceptance/testing/test-server.ts";
import { createPasswords } from "../../src/clients/identity/local/passwords.ts";
import { systemSecrets } from "../../src/clients/system/secrets.ts";
import { startSession } from "../../src/domain/accounts/sessions.ts";
import { DAY } from "../../src/domain/timestamp.ts";
import { operate } from "./console.ts";
import { claimDomains } from "./domains.ts";
import { countVisits } from "./visits.ts";
import { addWebhooks } from "./webhooks.ts";

/** A server with six weeks of life in it, reached under names that read well. */
export interface Demo {
  readonly server: TestServer;
  readonly host: string;
  /** A session of ada's, whose password is `PASSWORD`. */
  readonly token: string;
  /** A session of somebody who has no site. */
  readonly newcomer: string;
  /** A server that was just started, at a host of its own. */
  readonly fresh: TestServer;
  /** Where the browser finds both: Chromium's rules for host names. */
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
  /** Pages that are new or changed. */
  readonly pages: readonly string[];
  readonly redirects?: string;
}

const HISTORY: readonly Deployed[] = [
  { daysAgo: 41, site: "field-notes", by: "ada", pages: ["index", "about", "2025/winter"] },
  { daysAgo: 38, site: "atlas-docs", by: "ada", pages: ["index", "guide/start", "guide/deploy", "reference"] },
  { daysAgo: 33, site: "atlas-docs", by: "CI", pages: ["guide/deploy", "guide/domains", "guide/rollback"] },
  { daysAgo: 30, site: "portfolio", by: "ada", pages: ["index", "work", "contact"] },
  {
    daysAgo: 21,
    site: "atlas-docs",
    by: "CI",
    pages: ["reference", "guide/readers"],
    redirects: "/old /guide/start 301\n/legacy/* /guide/:splat 999\n",
  },
  { daysAgo: 18, site: "handbook", by: "ada", pages: ["index", "travel", "equipment", "onboarding"] },
  { daysAgo: 12, site: "field-notes", by: "ada", pages: ["index", "2026/owls"] },
  { daysAgo: 9, site: "launch-2027", by: "ada", pages: ["index"] },
  { daysAgo: 6, site: "atlas-docs", by: "CI", pages: ["guide/tokens", "index"], redirects: "/old /guide/start 301\n" },
  { daysAgo: 2, site: "portfolio", by: "ada", pages: ["work", "index"] },
  { daysAgo: 0.1, site: "atlas-docs", by: "CI", pages: ["index", "changelog"] },
];

const PRIVATE = new Set(["handbook", "launch-2027"]);

/** Starts a server and fills it with its clock turned back. `flags` are the command line's. */
export async function startDemo(flags: Record<string, string> = {}): Promise<Demo> {
  const server = await startTestServer({
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
  await protect(server, token);
  await countVisits(server, ["atlas-docs", "field-notes", "portfolio", "handbook"]);
  await claimDomains(server, "atlas-docs");
  await addWebhooks(server, "atlas-docs");
  await keepDeployments(server, token);
  await operate(server);
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
  await startSession(ports, { userId, clientName: "vitrine on workbench", address: "198.51.100.24" });
  return (await startSession(ports, { userId, clientName: "Firefox", address: "198.51.100.24" })).token;
}

/** Every deployment by the public API, at its own time. */
async function replay(server: TestServer, token: string): Promise<void> {
  const contents = new Map<string, Record<string, string>>();
  let daysAgo = BEGAN;
  let deploymentToken = "";
  for (const deployed of HISTORY) {
    server.advance((daysAgo - deployed.daysAgo) * DAY);
    daysAgo = deployed.daysAgo;
    const files = filesOf(deployed, contents.get(deployed.site) ?? {});
    contents.set(deployed.site, files);
    const first = deployed.site === "atlas-docs" && deployed.by === "ada";
    const credential = deployed.by === "CI" ? deploymentToken : token;
    await server.deploy(credential, await zipOf(files), {
      site: deployed.site,
      ...(PRIVATE.has(deployed.site) ? { access: "private" } : {}),
    });
    if (first) deploymentToken = await mintToken(server, token);
  }
  server.advance(daysAgo * DAY);
}

function filesOf({ site, daysAgo, pages, redirects }: Deployed, before: Record<string, string>) {
  const files = { ...before };
  for (const page of pages) {
    files[`${page}.html`] =
      `<!doctype html><title>${site}</title><h1>${page}</h1><p>${daysAgo} ${"Lorem ipsum. ".repeat(200)}</p>`;
  }
  files["style.css"] ??= "body { font: 18px/1.6 system-ui }\n".repeat(60);
  if (redirects !== undefined) files._redirects = redirects;
  return files;
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

async function keepDeployments({ call }: TestServer, token: string): Promise<void> {
  await call("POST", "/sites/atlas-docs/deployments/2/pin", { token });
  await call("PUT", "/sites/portfolio/retention", { token, json: { keep_last: 5, keep_days: 90 } });
}
