// Measures the deploy report: processor time and memory of the server, and the latency of visitors meanwhile.
//   npm run build && node scripts/with-bun.mjs scripts/bench/report.ts [PAGES] [LINKS ON A PAGE]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { wrk } from "./load.ts";
import { type BenchServer, startExecutable, timed } from "./test-server.ts";

const [pages = 5000, links = 100] = process.argv.slice(2).map(Number);
/** Pages that the second deployment changes. */
const CHANGED = 10;
const SECONDS = 5;
const SITE = "report-bench";

const { path: folder } = scratchFolder();
const server = await startExecutable(["--workers", "1"]);
try {
  console.log(`${pages} pages with ${(pages * links).toLocaleString("en")} links`);
  const visited = { port: server.port, tls: false, path: "/", host: `visited.localhost:${server.port}` };
  writePages("visited", 1, 10);
  deploy(zip("visited"), "visited");
  await readyReport(server, "visited", 1);
  const idle = await wrk(visited, "0", SECONDS);
  writePages(SITE, pages, links);
  const first = await measure(1, zip(SITE));
  writePages(SITE, CHANGED, links, "changed");
  const second = await measure(2, zip(SITE));
  writePages(SITE, pages, links, "all");
  deploy(zip(SITE), SITE);
  const busy = await wrk(visited, "0", SECONDS);
  await readyReport(server, SITE, 3);
  console.log(`first report:  ${text(first)}`);
  console.log(`second report: ${text(second)}, ${CHANGED} changed pages`);
  console.log(`a visitor's p99: ${idle.p99.toFixed(2)} ms idle, ${busy.p99.toFixed(2)} ms during a report`);
} finally {
  await server.stop();
}

interface Cost {
  readonly wall: number;
  readonly processor: number;
  readonly memory: number;
}

function text({ wall, processor, memory }: Cost): string {
  return `${processor.toFixed(1)} s of processor, ${wall.toFixed(1)} s, ${memory.toFixed(0)} MiB more`;
}

/** Deploys, and measures from the response until the report is ready. Encoding starts after it. */
async function measure(number: number, archive: string): Promise<Cost> {
  deploy(archive, SITE);
  const [processor, before, start] = [server.processorTime(), server.memory().anonymous, performance.now()];
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, server.memory().anonymous);
  }, 50);
  await readyReport(server, SITE, number);
  clearInterval(sampling);
  const wall = (performance.now() - start) / 1000;
  return { wall, processor: server.processorTime() - processor, memory: most - before };
}

async function readyReport({ baseUrl, token }: BenchServer, site: string, number: number): Promise<void> {
  for (;;) {
    const url = `${baseUrl}/sites/${site}/deployments/${number}/report?wait=60`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const { status, totals } = (await response.json()) as { status: string; totals: { links: number } };
    if (status === "pending") continue;
    if (status === "ready") return console.log(`${site} ${number}: ${totals.links.toLocaleString("en")} links judged`);
    throw new Error(`the report of deployment ${number} is ${status}`);
  }
}

function deploy(archive: string, site: string): void {
  timed(server.deployCommand(archive, site));
}

/** Half of the links are the same on all pages, as in a menu; the others are relative, with fragments. */
function writePages(site: string, count: number, linksOfEach: number, seed = ""): void {
  for (let index = 0; index < count; index++) {
    const place = join(folder, site, `section-${index % 50}`);
    mkdirSync(place, { recursive: true });
    const anchors = Array.from({ length: linksOfEach }, (_, link) => {
      const other = (index + 50 * (link + 1)) % pages;
      const address =
        link % 2 === 0
          ? `/section-${link % 50}/page-${link}`
          : `page-${other - (other % 50) + (index % 50)}#part-${link}`;
      return `<h2 id="part-${link}"><a href="${address}">${seed} ${link}</a></h2>`;
    });
    writeFileSync(
      join(place, `page-${index}.html`),
      `<!doctype html><title>${seed} ${index}</title>\n${anchors.join("\n")}`,
    );
  }
  writeFileSync(join(folder, site, "index.html"), "<!doctype html><title>start</title>");
  writeFileSync(join(folder, site, "404.html"), "<!doctype html><title>not found</title>");
}

function zip(site: string): string {
  const archive = join(folder, `${site}-${performance.now()}.zip`);
  timed(["zip", "-qr", archive, "."], { cwd: join(folder, site) });
  return archive;
}
