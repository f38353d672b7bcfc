// Measures 2,000 claims of custom domains that are due at once: the delay of the scheduler's thread and the load on the
// CA.
//   node scripts/with-bun.mjs scripts/bench/claims.ts [--claims 2000]
// The whole server runs in this process, with its jobs on the main thread. The name server has its own thread, and the
// CA is pebble. Without TLS every claim becomes connected. With ACME the CA's limit of new orders delays some of them.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import { startTestServer, type TestServer } from "../../src/acceptance/testing/test-server.ts";
import { startPebble } from "../../src/clients/acme/testing/pebble.ts";
import { startNameServer } from "../../src/clients/dns/testing/name-server.ts";
import { systemSecrets } from "../../src/clients/system/secrets.ts";
import { randomToken } from "../../src/domain/claims/challenge.ts";
import { freePort } from "../../src/testing/free-port.ts";

/** One token for all claims of a run. */
const PROOF = "abcdefghijklmnopqrstuvwxyz234567";
/** All claims become due this long after they are created. */
const HEAD_START_MS = 20_000;
/** The run ends when no order was placed for this long. */
const AT_REST_MS = 60_000;

if (Bun.isMainThread) await measure();
else await serveNames(globalThis as unknown as Worker);

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { claims: { type: "string", default: "2000" } },
  });
  const names = new Worker(import.meta.path);
  const resolver = await new Promise<string>((known) => {
    names.onmessage = ({ data }: MessageEvent<string>) => known(data);
  });
  await withoutTls(Number(values.claims), resolver);
  await withAcme(Number(values.claims), resolver);
  process.exit(0);
}

async function withoutTls(count: number, resolver: string): Promise<void> {
  const port = freePort();
  const vitrine = await start({ listen: `127.0.0.1:${port}`, "probe-ports": `${port},${port}` }, resolver);
  const dueAt = await makeClaims(vitrine, count);
  const delay = await delayUntil(dueAt, async () => (await connected(vitrine)) >= count);
  console.log(`${count} claims due at once, TLS off: all connected after ${delay.seconds} s; ${delay.text}`);
  await vitrine[Symbol.asyncDispose]();
}

async function withAcme(count: number, resolver: string): Promise<void> {
  const [port, httpPort, dnsPort] = [freePort(), freePort(), freePort()];
  const pebble = await startPebble({ httpPort, nameserver: resolver });
  const flags = {
    tls: "acme",
    listen: `127.0.0.1:${port}`,
    "http-listen": `127.0.0.1:${httpPort}`,
    "dns-listen": `127.0.0.1:${dnsPort}`,
    "base-url": `https://localhost:${port}`,
    "acme-directory": pebble.directory,
    "acme-ca-file": pebble.caFile,
    "probe-ports": `${httpPort},${port}`,
  };
  const vitrine = await start(flags, resolver);
  const dueAt = await makeClaims(vitrine, count);
  const orders = () => vitrine.store.acme.ordersSince(pebble.directory, 0);
  let seen = { placed: 0, at: Date.now() };
  const delay = await delayUntil(dueAt, async () => {
    const placed = await orders();
    if (placed !== seen.placed) seen = { placed, at: Date.now() };
    return Date.now() - seen.at > AT_REST_MS;
  });
  const text = `${await connected(vitrine)} connected, ${await orders()} orders placed (Let's Encrypt takes 300 in three hours)`;
  console.log(`${count} claims due at once, TLS acme: ${text}, at rest after ${delay.seconds} s; ${delay.text}`);
  await vitrine[Symbol.asyncDispose]();
  await pebble.stop();
}

function start(flags: Record<string, string>, resolver: string): Promise<TestServer> {
  const domains = { "dns-resolvers": resolver, "routing-targets": "A:127.0.0.1", "allow-private-probes": "on" };
  return startTestServer({ workers: "1", ...domains, ...flags });
}

/** Creates claims of one site without the API, whose rate limit is twenty a day. Returns when they all become due. */
async function makeClaims(vitrine: TestServer, count: number): Promise<number> {
  const { user, token } = await vitrine.signUp("ada");
  const response = await vitrine.deploy(token, await zipOf({ "index.html": "<p>claimed" }), { site: "shop" });
  if (response.status !== 201) throw new Error(await response.text());
  const site = await vitrine.store.sites.find("shop");
  if (!site) throw new Error("the site is not there");
  const createdAt = Date.now() + HEAD_START_MS;
  for (let number = 0; number < count; number++) {
    const probeToken = randomToken(systemSecrets);
    const secrets = { proofToken: PROOF, probeToken, probeResponse: randomToken(systemSecrets) };
    const claim = { hostname: `n${number}.example.org`, siteId: site.id, ownerId: user.id, createdAt, ...secrets };
    const { outcome } = await vitrine.store.claims.create(claim, { rates: [], mostPending: null });
    if (outcome !== "created") throw new Error(outcome);
  }
  if (Date.now() > createdAt) throw new Error("the claims became due while they were made");
  return createdAt;
}

async function connected({ store }: TestServer): Promise<number> {
  const site = await store.sites.find("shop");
  const claims = site ? await store.claims.listOfSite(site.id) : [];
  return claims.filter((claim) => claim.activatedAt !== null).length;
}

/**
 * Measures the event loop delay of this thread from `from` until `over` resolves to true, which is checked every few
 * seconds.
 */
async function delayUntil(from: number, over: () => Promise<boolean>) {
  await Bun.sleep(from - Date.now());
  const watch = monitorEventLoopDelay({ resolution: 1 });
  watch.enable();
  do await Bun.sleep(5000);
  while (!(await over()));
  watch.disable();
  const milliseconds = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1);
  const text = `event-loop delay at most ${milliseconds(watch.max)} ms, p99.9 ${milliseconds(watch.percentile(99.9))} ms`;
  return { seconds: Math.round((Date.now() - from) / 1000), text };
}

/** A name server that answers every name with the proof and with this server's address. */
async function serveNames(self: Worker): Promise<void> {
  const everything = new Proxy({} as Record<string, string[] | undefined>, {
    get: (_, key) => recordsOf(String(key)),
  });
  const server = await startNameServer();
  Object.setPrototypeOf(server.zone, everything);
  self.postMessage(`${server.address}:${server.port}`);
}

function recordsOf(key: string): string[] | undefined {
  if (key.startsWith("TXT _vitrine-challenge.")) return [`token=${PROOF}`];
  return key.startsWith("A ") ? ["127.0.0.1"] : undefined;
}
