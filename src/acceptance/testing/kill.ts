import { type NameServer, startNameServer } from "../../clients/dns/testing/name-server.ts";
import { freePort } from "../../testing/free-port.ts";
import { Actor, type MarkedArchive, NO_SITE, type SiteState } from "./actor.ts";
import { zipOf } from "./archives.ts";
import { Claimant } from "./claimant.ts";
import { run, type ServingProcess, scratchFolder, signUp, startProcess } from "./executable.ts";

/** The results over all instants. */
interface KillReport {
  readonly instants: number;
  /** Confirmed changes of sites. */
  readonly answered: number;
  /** Responses about custom domains: claims, checks and removals. */
  readonly claimed: number;
  /** Changes that were requested and not confirmed when the process was killed. */
  readonly interrupted: number;
  /** The number of those that were made. */
  readonly happened: number;
  /** The slowest start of a process in milliseconds. */
  readonly slowestStart: number;
  /** The median of the same. */
  readonly usualStart: number;
  /** Each one violates a guarantee. */
  readonly failures: readonly string[];
}

/** Milliseconds within which the first changes must have a response, at the first instant. */
const FIRST_RESPONSES_MS = 60_000;

/** The number of files in a marked archive, besides one that all archives share. */
const MARKED_FILES = 6;

/**
 * Kills the compiled program at random instants while four clients change a site each and a fifth claims, checks and
 * releases hostnames. Restarts it on the same data folder each time, and compares the state with the responses.
 */
export async function killAtRandomInstants(
  instants: number,
  { longest = 300, flags = [] as readonly string[], progress = (_done: number) => {} } = {},
): Promise<KillReport> {
  using folder = scratchFolder();
  const token = await signUp(folder.path, "ada");
  const archives = await markedArchives(12);
  const actors = fourActors(token, archives);
  const names = await startNameServer();
  const claimant = new Claimant(folder.path, (archives[0] as MarkedArchive).bytes, names);
  const allFlags = [...domainFlags(names), ...flags];
  const failures: string[] = [];
  const starts: number[] = [];
  let [interrupted, happened] = [0, 0];

  let server = await startProcess(folder.path, allFlags);
  await claimant.inspect(server);
  for (let instant = 1; instant <= instants; instant++) {
    // A machine with slower starts also responds to fewer requests in the same time.
    const after = Math.random() * Math.max(longest, server.startedIn);
    const workers = [...actors, claimant];
    // However slow the machine is, a run has responses to compare with.
    const deadline = instant === 1 ? performance.now() + FIRST_RESPONSES_MS : 0;
    const untilResponse = async () => {
      const isEnough = () => answeredBy(actors) > 0 && claimant.answered > 0;
      while (!isEnough() && performance.now() < deadline) await Bun.sleep(5);
    };
    failures.push(...(await killWhileWorking(server, workers, after, untilResponse)));
    server = await startProcess(folder.path, allFlags);
    if (claimant.pending) interrupted++;
    const loss = await claimant.inspect(server);
    if (loss) failures.push(`instant ${instant}: ${loss}`);
    starts.push(Math.round(server.startedIn));
    for (const actor of actors) {
      const { state: before, pending } = actor;
      const complaint = actor.settle(await observe(server, token, actor.site));
      if (complaint) failures.push(`instant ${instant}: ${complaint}`);
      if (pending) interrupted++;
      if (pending && actor.state.active !== before.active) happened++;
    }
    if (instant % 10 === 0 || instant === instants) failures.push(...(await verifyComplaints(folder.path)));
    progress(instant);
  }
  await server.end("SIGKILL");
  await names.stop();
  starts.sort((one, other) => one - other);
  return {
    instants,
    answered: answeredBy(actors),
    claimed: claimant.answered,
    interrupted,
    happened,
    slowestStart: starts.at(-1) ?? 0,
    usualStart: starts[starts.length >> 1] ?? 0,
    failures,
  };
}

function answeredBy(actors: readonly Actor[]): number {
  return actors.reduce((total, actor) => total + actor.answered, 0);
}

/** Custom domains over plain HTTP. Probes need the port before the program listens on it. */
function domainFlags(names: NameServer): readonly string[] {
  const port = freePort();
  return Object.entries({
    listen: `127.0.0.1:${port}`,
    "dns-resolvers": `${names.address}:${names.port}`,
    "routing-targets": "A:127.0.0.1",
    "probe-ports": `${port},${port}`,
    "allow-private-probes": "on",
  }).flatMap(([flag, value]) => [`--${flag}`, value]);
}

/** Two deploy, one also rolls back, and one deletes half of the time. */
export function fourActors(token: string, archives: readonly MarkedArchive[]): readonly Actor[] {
  return [
    new Actor("deployed", token, archives, { activates: false, keeps: 20 }),
    new Actor("deployed-too", token, archives, { activates: false, keeps: 20 }),
    new Actor("activated", token, archives, { activates: true, keeps: 20 }),
    new Actor("deleted", token, archives, { activates: false, keeps: 2 }),
  ];
}

/** Lets all clients work until the process is killed. Returns the failures that they found. */
export async function killWhileWorking(
  server: ServingProcess,
  actors: readonly Pick<Actor, "work">[],
  after: number,
  beforeDeath: () => Promise<void> = async () => {},
): Promise<string[]> {
  let killed = false;
  const working = actors.map((actor) =>
    actor
      .work(server, () => killed)
      .then(
        () => null,
        (error: Error) => error.message,
      ),
  );
  await Bun.sleep(after);
  await beforeDeath();
  await server.end("SIGKILL");
  killed = true;
  return (await Promise.all(working)).filter((complaint) => complaint !== null);
}

/** Archives that differ in all files except one. */
export function markedArchives(count: number): Promise<MarkedArchive[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const mark = `mark-${index}`;
      const files = Array.from({ length: MARKED_FILES }, (_, file) => [`${file}.html`, contentOf(mark, file)]);
      return { mark, bytes: await zipOf({ ...Object.fromEntries(files), "shared.txt": "in every archive" }) };
    }),
  );
}

function contentOf(mark: string, file: number): string {
  return `${mark} ${"x".repeat(file * 4000)}`;
}

/** Returns the state of a site for its owner and its visitors. */
export async function observe(server: ServingProcess, token: string, site: string): Promise<SiteState> {
  const headers = { Authorization: `Bearer ${token}` };
  const deployments = new Map<number, string>();
  let active: number | null = null;
  for (let before = ""; ; ) {
    const response = await server.fetch(`/sites/${site}/deployments?limit=100${before}`, { headers });
    if (response.status === 404) return NO_SITE;
    const page = (await response.json()) as { deployment_number: number; active: boolean }[];
    for (const { deployment_number: number, active: isActive } of page) {
      deployments.set(number, await markOf(server, `${number}--${site}`));
      if (isActive) active = number;
    }
    if (page.length < 100) break;
    before = `&before=${page.at(-1)?.deployment_number}`;
  }
  const served = await markOf(server, site);
  if (active !== null && served !== deployments.get(active)) deployments.set(active, `served as ${served}`);
  return { deployments: new Map([...deployments].sort(([one], [other]) => one - other)), active };
}

/** Returns the mark of all files, compared byte by byte, or a description of the mixture. */
async function markOf(server: ServingProcess, site: string): Promise<string> {
  const marks = await Promise.all(
    Array.from({ length: MARKED_FILES }, async (_, file) => {
      const response = await server.fetch(`/${file}.html`, { site });
      const text = await response.text();
      const [mark = ""] = text.split(" ", 1);
      const whole = response.status === 200 && text === contentOf(mark, file);
      return whole ? mark : `${response.status} of ${text.length} bytes`;
    }),
  );
  return [...new Set(marks)].join(" mixed with ");
}

export async function verifyComplaints(dataDir: string): Promise<string[]> {
  const { stdout, status } = await run(["verify", "--json", "--data-dir", dataDir]);
  return status === 0 ? [] : [`verify: ${stdout}`];
}
