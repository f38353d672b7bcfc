import { afterAll, beforeAll, expect, test } from "bun:test";
import { readMarkup } from "../../clients/html/read-markup.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { makePendingReports } from "../../domain/report/make-pending.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import { makeAnswersOf } from "../../serving/report-answers.ts";
import { stderrLog } from "../log.ts";
import { ONLY_NODE } from "../shared.ts";
import { openReportingServer, type Report, type ReportingServer } from "./testing/reporting-server.ts";

let server: ReportingServer;
beforeAll(async () => {
  server = await openReportingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("a report that takes over the findings of unchanged files is that of a new site", async () => {
  const { facts } = server.store.reports;
  let judged = 0;
  server.store.reports.facts = (reader, digests) => {
    judged += digests.length;
    return facts(reader, digests);
  };
  const page = (n: number) => `<p id=one><a href="/p1.html#one">x</a>\n<a href="p${n + 1}.html?x">x</a><img src=x>`;
  const files = new Map(Array.from({ length: 6 }, (_, n) => [n === 4 ? "folder/p4.html" : `p${n}.html`, page(n)]));
  const edit = (file: string, content: string) => () => files.set(file, content);
  const edits: readonly [what: string, edit: () => unknown, judged: number][] = [
    ["the first deployment", () => {}, 6],
    ["nothing", () => {}, 0],
    ["a text", edit("p1.html", `${page(1)}<p>text`), 1],
    ["a link", edit("p3.html", `${page(3)}<a href="/nowhere">`), 1],
    ["an id", edit("p1.html", "<p id=two>"), 6],
    ["a page that cannot be read", edit("p1.html", "\0\u0001".repeat(99)), 6],
    ["a link beside it", edit("p3.html", page(3)), 1],
    ["a new file", edit("style.css", "a { background: url(x.png) }"), 7],
    ["its content", edit("style.css", "a { background: url(y.png) }"), 1],
    ["a name", () => files.delete("p2.html") && files.set("p2-moved.html", page(2)), 7],
    ["a rule", edit("_redirects", "/p1.html /p0.html 301!"), 7],
    ["another rule", edit("_redirects", "/p1.html /nowhere 301!"), 7],
    ["an error page", edit("404.html", "lost"), 8],
  ];
  const withoutNew = ({ findings, summary: { errors, warnings, notes }, totals }: Report) => {
    // New ones come first.
    return {
      counts: [errors, warnings, notes],
      totals,
      findings: findings.map(({ new: _, ...finding }) => JSON.stringify(finding)).sort(),
    };
  };
  for (const [index, [what, edit, expected]] of edits.entries()) {
    edit();
    const content = Object.fromEntries(files);
    judged = 0;
    const continued = await server.reportOf("continued", await server.deployFiles("continued", content));
    expect([what, judged]).toEqual([what, expected]);
    const fresh = await server.reportOf(`fresh-${index}`, await server.deployFiles(`fresh-${index}`, content));
    expect([what, withoutNew(continued)]).toEqual([what, withoutNew(fresh)]);
  }
  server.store.reports.facts = facts;
});

test("more findings than are kept are all counted, again after a change of another file", async () => {
  const links = Array.from({ length: 5001 }, (_, n) => `<a href="/n${n}">`).join("");
  const errors = async (text: string) => {
    const number = await server.deployFiles("large", { "index.html": links, "404.html": text });
    return (await server.reportOf("large", number)).summary.errors;
  };
  expect([await errors("one"), await errors("two")]).toEqual([5001, 5001]);
});

/** Makes the pending reports with these parts instead of the server's. */
function makeReportsWith(parts: Partial<Parameters<typeof makePendingReports>[0]>): Promise<boolean> {
  return makePendingReports({
    ...server,
    log: stderrLog("off"),
    node: ONLY_NODE,
    readMarkup,
    secrets: systemSecrets,
    content: { read: () => Promise.reject(new Error("the content is away")) },
    answersOf: makeAnswersOf(server.config),
    server: { sitesDomain: "localhost", isSecure: false, maxUrlLength: 1000 },
    pause: async () => {},
    processor: () => 0,
    ...parts,
  });
}

/** Returns nine pages, and the content in which a maker finds them. */
function ninePages(link: string) {
  const page = (n: number) => `<title>${n}</title><a href="${link}">x</a>`;
  const pages = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${n}.html`, page(n)]));
  const contents = new Map(Object.values(pages).map((text) => [systemSecrets.sha256(text), Buffer.from(text)]));
  return { pages, content: { read: async (digest: string) => contents.get(digest) ?? Buffer.alloc(0) } };
}

test("what is left after a minute of the processor is one note, and is judged with the next deployment", async () => {
  const { pages, content } = ninePages("/missing");
  const number = await server.deployFiles("slow", pages);
  let used = 0;
  // Each look takes 3.5 seconds: the first pass is complete, and the second one ends in its seventh file.
  await makeReportsWith({ content, processor: () => (used += 3500) });
  const late = await server.reportOf("slow", number);
  expect([late.status, late.totals.pages, late.totals.links, late.summary.errors]).toEqual(["ready", 9, 9, 6]);
  expect(late.findings.at(-1)).toMatchObject({ code: "not_checked", file: "6.html" });
  expect(late.findings.at(-1)?.message).toContain("60 seconds of processor time, and this file and 2 more were left");
  const next = await server.reportOf("slow", await server.deployFiles("slow", pages));
  expect([next.summary.errors, next.summary.notes]).toEqual([9, 0]);
});

test("fragments of pages that were not read in time are judged with the next deployment", async () => {
  const { pages, content } = ninePages("/8#nobody");
  const number = await server.deployFiles("slower", pages);
  let looks = 0;
  // The first pass ends after two thirds of the time, and the second one reads what is left.
  await makeReportsWith({ content, processor: () => (looks++ < 6 ? 0 : 41_000) });
  expect(await server.reportOf("slower", number)).toMatchObject({ status: "ready", summary: { errors: 0, notes: 0 } });
  const next = await server.reportOf("slower", await server.deployFiles("slower", pages));
  expect(next.summary.errors).toBe(9);
});

test("a report that cannot be made is tried five times, a minute apart, and has failed then", async () => {
  const number = await server.deployFiles("away", { "index.html": "away" });
  const status = async () => (await server.storedReport("away", number)).status;
  const tries: string[] = [];
  for (let attempt = 1; attempt <= 6; attempt++) {
    await makeReportsWith({});
    tries.push(await status());
    server.advance(MINUTE);
  }
  expect(tries).toEqual(["pending", "pending", "pending", "pending", "pending", "failed"]);
});

test("a report waits for that of the live deployment, which another node makes", async () => {
  const page = { "index.html": '<a href="/nowhere">x</a>', "404.html": "" };
  const numbers = [await server.deployFiles("shared", page), await server.deployFiles("shared", page)];
  const now = server.clock.now();
  const claim = await server.store.reports.claim({ holder: "another node", now, until: now + 20 * MINUTE });
  await server.makeReports();
  expect((await server.storedReport("shared", numbers[1]!)).status).toBe("pending");
  await server.store.reports.giveBack(claim!, now, false);
  server.advance(MINUTE);
  expect(await server.reportOf("shared", numbers[1]!)).toMatchObject({ summary: { errors: 1, new_errors: 0 } });
});
