// Compares hosting with nginx, h2o and a bare `Bun.serve`. Each has one worker on the same core in turn, and the load
// runs on the other core. The results are medians of alternating runs: requests per second with their ratio, and the
// processor time of the server for a request.
//   node scripts/with-bun.mjs scripts/bench/hosting.ts [--quick] [--runs 7] [--seconds 3] [--only page] [--cache 1GiB]
//   [--plain]
// Needs: apt-get install -y --no-install-recommends nginx-light h2o wrk nghttp2-client openssl zip curl
import { parseArgs } from "node:util";
import { installDebianPackages } from "../install-packages.ts";
import { median } from "../statistics.ts";
import { h2load, type Measured, type Target, wrk, wrkZipf } from "./load.ts";
import { BARE_BUN, type Rival, startBareBun, startH2o, startNginx } from "./rivals.ts";
import { compressed, deployBench, deployManySites, leavePlain, makeFolders } from "./sites.ts";
import { type BenchServer, startExecutable } from "./test-server.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    runs: { type: "string" },
    seconds: { type: "string" },
    only: { type: "string", default: "" },
    /** The server's content cache. Without the flag it has its default size. */
    cache: { type: "string" },
    /** Skips compression. It takes 17 minutes for 100,000 pages, and only the gzip case needs it. */
    plain: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs ?? (values.quick ? 5 : 9));
const seconds = Number(values.seconds ?? (values.quick ? 1 : 3));
const [sites, files] = values.quick ? [100, 100] : [1000, 100];
/** Seconds of load before measuring, because the JIT compiler makes the first requests slow. */
const warmUp = values.quick ? 3 : 9;
/** CPU of the servers and CPU of the load generator. */
const [SERVER, LOAD] = ["0", "1"];
/** Width of a printed cell. */
const CELL = 24;

/** A server with its ports for the plain and the encrypted cases. */
type Contender = Omit<Rival, "stop">;

interface Case {
  readonly name: string;
  readonly aim: string;
  run(contender: Contender): Promise<Measured>;
  /** Which servers take part. Defaults to all. */
  readonly isFor?: (contender: Contender) => boolean;
  /** Seconds of load before measuring, if the default is too short. */
  readonly warmUp?: number;
  /**
   * The measure to compare. Defaults to requests per second; large files use another one because few requests complete.
   */
  readonly figure?: keyof Measured;
}

const at = ({ port, tlsPort }: Contender, tls: boolean, path: string, headers: readonly string[] = []): Target => {
  const used = tls ? tlsPort : port;
  return { port: used, tls, path, headers, host: tls ? "bench.localhost" : `bench.localhost:${used}` };
};

/** A bare server has one page and no log. */
const hasFiles = ({ name }: Contender) => name !== BARE_BUN;

const CASES: readonly Case[] = [
  {
    name: "4 kB page",
    aim: "1.0 nginx, 1.0 h2o; 1.35 × bare Bun's time",
    run: (to) => wrk(at(to, false, "/"), LOAD, seconds),
  },
  {
    name: "4 kB page, logged",
    aim: "1.0 nginx; 1.75 × bare Bun's time",
    isFor: ({ loggedPort, name }) => loggedPort !== null || name === BARE_BUN,
    run: (to) => wrk(at({ ...to, port: to.loggedPort ?? to.port }, false, "/"), LOAD, seconds),
  },
  { name: "4 kB page, TLS", aim: "1.0 nginx", run: (to) => wrk(at(to, true, "/"), LOAD, seconds) },
  { name: "4 kB page, HTTP/2", aim: "2.0 nginx", run: (to) => h2load(at(to, true, "/"), LOAD, seconds) },
  {
    name: "304 response",
    aim: "1.0 nginx; 1.4 × bare Bun's time",
    async run(to) {
      const target = at(to, false, "/");
      const response = await fetch(`http://127.0.0.1:${to.port}/`, { headers: { Host: target.host } });
      const headers = [`If-None-Match: ${response.headers.get("etag")}`];
      return wrk({ ...target, headers }, LOAD, seconds);
    },
  },
  {
    name: "100 kB file",
    aim: "1.0 nginx",
    isFor: hasFiles,
    run: (to) => wrk(at(to, false, "/100k.bin"), LOAD, seconds),
  },
  {
    name: "100 MB file, MB/s",
    aim: "0.95 nginx",
    isFor: hasFiles,
    figure: "megabytesPerSecond",
    run: (to) => wrk(at(to, false, "/100m.bin"), LOAD, Math.max(3, seconds), 4),
  },
  // A directory index, as most generators create, and a file by its own name.
  ...["/guide/", "/text.html"].map((path) => ({
    name: `gzip, ${path}`,
    aim: "1.0 nginx",
    isFor: hasFiles,
    run: (to: Contender) => wrk(at(to, false, path, ["Accept-Encoding: gzip"]), LOAD, seconds),
  })),
  {
    name: `${sites * files} files, Zipf`,
    aim: "0.8 nginx",
    isFor: hasFiles,
    run: (to) => wrkZipf(to.port, LOAD, seconds, sites, files),
    // Enough time for the caches to learn which files are requested most.
    warmUp: 3 * warmUp,
  },
];

await installDebianPackages({
  "nginx-light": "nginx",
  h2o: "h2o",
  wrk: "wrk",
  "nghttp2-client": "h2load",
  openssl: "openssl",
  zip: "zip",
  curl: "curl",
});
const folders = makeFolders();
const started: { stop(): Promise<void> }[] = [];
try {
  const contenders = await startServers();
  console.log(
    `medians of ${runs} alternating runs of ${seconds} s: requests per second, ours divided by theirs, processor time`,
  );
  console.log(["case".padEnd(20), ...contenders.map(({ name }) => name.padStart(CELL)), "  aim"].join(" "));
  for (const test of CASES.filter(({ name }) => name.includes(values.only)))
    await compare(test, contenders.filter(test.isFor ?? (() => true)));
} finally {
  for (const server of started) await server.stop();
  folders.remove();
}

async function startServers(): Promise<Contender[]> {
  const keep = <T extends BenchServer | Rival>(server: T): T => {
    started.push(server);
    return server;
  };
  const cache = values.cache ? ["--cache-bytes", values.cache] : [];
  const plain = keep(await startExecutable(["--workers", "1", ...cache], SERVER));
  const tls = ["--tls", "manual", "--tls-cert", folders.certificate, "--tls-key", folders.key];
  const encrypted = keep(await startExecutable(["--workers", "1", ...tls], SERVER));
  const logged = keep(await startExecutable(["--workers", "1", "--log", "text"], SERVER));
  for (const testServer of [plain, encrypted, logged]) deployBench(testServer, folders);
  if ("Zipf".includes(values.only) || values.only === "") deployManySites(plain, folders, sites, files);
  for (const testServer of [plain, encrypted, logged]) await (values.plain ? leavePlain : compressed)(testServer);
  const names = ["bench", ...Array.from({ length: sites }, (_, site) => `site-${site}`)];
  const nginx = keep(await startNginx(folders, SERVER));
  const h2o = keep(await startH2o(folders, SERVER, names));
  const bareBun = keep(await startBareBun(folders, SERVER));
  const ours: Contender = {
    name: "vitrine",
    port: plain.port,
    tlsPort: encrypted.port,
    loggedPort: logged.port,
    // The other two are idle.
    processorTime: () => [plain, encrypted, logged].reduce((sum, one) => sum + one.processorTime(), 0),
  };
  return [ours, bareBun, nginx, h2o];
}

async function compare(test: Case, contenders: readonly Contender[]): Promise<void> {
  const measured = contenders.map(() => ({ figures: [] as number[], processor: [] as number[] }));
  for (let time = 0; time < (test.warmUp ?? warmUp); time += seconds)
    for (const contender of contenders) await test.run(contender);
  for (let run = 0; run < runs; run++) {
    for (const index of contenders.keys()) {
      const which = (index + run) % contenders.length;
      const contender = contenders[which]!;
      const before = contender.processorTime();
      const result = await test.run(contender);
      measured[which]!.figures.push(result[test.figure ?? "requestsPerSecond"]);
      measured[which]!.processor.push(((contender.processorTime() - before) * 1e6) / result.requests);
    }
  }
  const [ours = Number.NaN] = measured.map(({ figures }) => median(figures));
  const cells = measured.map(({ figures, processor }) => {
    const figure = median(figures);
    return `${Math.round(figure)} (${(ours / figure).toFixed(2)}) ${median(processor).toFixed(1)} µs`.padStart(CELL);
  });
  console.log([test.name.padEnd(20), ...cells, `  ${test.aim}`].join(" "));
}
