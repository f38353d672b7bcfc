// Measures CPU time per visit while other sites change, and with many aliases. It runs in one process without sockets.
//   node scripts/with-bun.mjs scripts/bench/routing.ts [--rounds 15] [--only changes]
// The variants alternate and the medians are compared, so that other load on the machine affects all of them alike.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MAX_ALIASES } from "../../src/domain/model/preview.ts";
import type { Store } from "../../src/domain/ports/store.ts";
import { makeHosting } from "../../src/serving/hosting.ts";
import { VISITOR } from "../../src/serving/testing/hosted.ts";
import { openFilesystemContent } from "../../src/storage/content/filesystem/filesystem.ts";
import { addPerson, addSession } from "../../src/storage/contract/people.ts";
import { newGenerationCell } from "../../src/storage/sqlite/generation.ts";
import { migrate } from "../../src/storage/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { median } from "../statistics.ts";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { rounds: { type: "string", default: "15" }, only: { type: "string", default: "" } },
});
const rounds = Number(values.rounds);

/**
 * The number of sites that are visited in turn, and of visits between two changes. It matches 5,000 visits and 50
 * changes per second.
 */
const SITES = 200;
const VISITS_PER_CHANGE = 100;
const CHANGES = 50;

/** Each with 100 aliases, the limit for a site: 1,000 in total. */
const SITES_WITH_ALIASES = 10;
const VISITS_OF_ALIASES = 5000;

const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-routing-"));
try {
  for (const [name, part] of Object.entries({ changes: whileOthersChange, aliases: withAliases })) {
    if (name.includes(values.only)) await part();
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function whileOthersChange(): Promise<void> {
  const { open, publish } = await openBench("changes");
  const hosts = Array.from({ length: SITES }, (_, n) => `site-${n}.localhost`);
  for (const host of hosts) await publish(host.replace(".localhost", ""));
  const changing = await publish("changing");
  const writer = open();
  const followed = open();
  const variants = {
    "no change meanwhile": { visit: visitsOf(open()), change: async () => {} },
    "another site changes": { visit: visitsOf(followed), change: (n: number) => setPrivate(n) },
    "the same, and every route is dropped": {
      visit: visitsOf({ ...open(), affectedSites: () => null }),
      change: (n: number) => setPrivate(n),
    },
  };
  const setPrivate = (n: number) => writer.sites.setPrivate(changing, n % 2 === 0);
  await compare(variants, CHANGES * VISITS_PER_CHANGE, async ({ visit, change }, measured) => {
    for (let n = 0; n < CHANGES; n++) {
      await change(n);
      await measured(async () => {
        for (let at = 0; at < VISITS_PER_CHANGE; at++) await visit(hosts[(n * VISITS_PER_CHANGE + at) % SITES]!);
      });
    }
  });
}

/** Compares visits with cached routes to visits that read the route each time, as after a change of the site. */
async function withAliases(): Promise<void> {
  const [one, many] = [await demoWithAliases(1, 1), await demoWithAliases(MAX_ALIASES, SITES_WITH_ALIASES)];
  const all = MAX_ALIASES * SITES_WITH_ALIASES;
  for (const host of ["demo.localhost", "pr-0--demo.localhost"]) {
    for (const kind of ["cached", "read"] as const) {
      const variants = { [`${host}, ${kind}, 1 alias`]: one[kind], [`${host}, ${kind}, ${all} aliases`]: many[kind] };
      await compare(variants, VISITS_OF_ALIASES, (visit, measured) =>
        measured(async () => {
          for (let n = 0; n < VISITS_OF_ALIASES; n++) await visit(host);
        }),
      );
    }
  }
}

/** Creates the site `demo` with aliases, and further sites with the same number of aliases. */
async function demoWithAliases(aliases: number, sites: number) {
  const { open, publish } = await openBench(`aliases-${aliases}`);
  const store = open();
  const demo = await publish("demo");
  for (let n = 0; n < sites; n++) {
    const site = n === 0 ? demo : await publish(`demo-${n}`);
    for (let at = 0; at < aliases; at++) {
      await store.previews.setAlias(site, { name: `pr-${at}`, deploymentNumber: 1, expiresAt: null, at });
    }
  }
  let generation = 0;
  const changing: Store = { ...store, generation: () => ++generation, affectedSites: () => null };
  return { cached: visitsOf(store), read: visitsOf(changing) };
}

type Measured = (work: () => Promise<unknown>) => Promise<void>;

/** Prints the median CPU time per visit, and the ratio to the first variant. */
async function compare<Variant>(
  variants: Readonly<Record<string, Variant>>,
  visits: number,
  round: (variant: Variant, measured: Measured) => Promise<void>,
): Promise<void> {
  const times = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]));
  // The first two rounds are a warm-up.
  for (let turn = -2; turn < rounds; turn++) {
    for (const [name, variant] of Object.entries(variants)) {
      let spent = 0;
      await round(variant, async (work) => {
        const before = process.cpuUsage();
        await work();
        const { user, system } = process.cpuUsage(before);
        spent += user + system;
      });
      if (turn >= 0) times.get(name)?.push(spent / visits);
    }
  }
  const [first = 0] = [...times.values()].map(median);
  for (const [name, one] of times) {
    const ratio = median(one) / first;
    console.log(`${name.padEnd(50)} ${median(one).toFixed(2)} µs a visit (${((ratio - 1) * 100).toFixed(1)} %)`);
  }
}

/** Creates a data folder with one-page sites. */
async function openBench(name: string) {
  const database = join(folder, `${name}.db`);
  await migrate(database);
  const cell = newGenerationCell();
  const open = () => openSqliteStore(database, cell);
  const store = open();
  const { id: ownerId } = await addPerson(store, "bench");
  const sessionId = await addSession(store, ownerId);
  return {
    open,
    async publish(siteName: string): Promise<number> {
      const result = await store.deployments.publish({
        siteName,
        ownerId,
        onlySiteId: null,
        makePrivate: false,
        manifest: { files: [await storePage(siteName)], redirects: [], headers: [] },
        reused: [],
        warnings: [],
        credential: { kind: "session", sessionId },
        actor: "bench",
        createdAt: Date.now(),
      });
      if (result.outcome !== "published") throw new Error(result.outcome);
      return result.site.id;
    },
  };
}

async function storePage(text: string) {
  const bytes = new TextEncoder().encode(`<p>${text}</p>`.repeat(200));
  const digest = Bun.CryptoHasher.hash("sha256", bytes, "hex");
  await openFilesystemContent(join(folder, "content")).put(digest, bytes);
  return { path: "index.html", digest, size: bytes.length };
}

/** Returns a function that visits a host's page, as a serving thread does. */
function visitsOf(store: Store): (host: string) => Promise<void> {
  const { serve } = makeHosting(
    {
      store,
      content: openFilesystemContent(join(folder, "content")),
      clock: { now: () => Date.now() },
      gate: { check: async () => null },
      views: { count() {} },
      countHit() {},
      throttle: null,
      permit: null,
      report(error) {
        throw error;
      },
    },
    { sitesDomain: "localhost", scheme: "http", graceMs: 0, cacheBytes: 64 * 1024 * 1024 },
  );
  return async (host) => {
    const response = await serve(new Request(`http://${host}/`), host, VISITOR);
    if (response.status !== 200) throw new Error(`${host} answered ${response.status}`);
  };
}
