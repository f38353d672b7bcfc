import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestApi } from "../../api/testing/test-api.ts";
import { REQUESTS } from "../../domain/report/references.ts";
import { addClaim } from "../../storage/contract/add-claim.ts";
import { openReportingServer, type Report, type ReportingServer } from "./testing/reporting-server.ts";

let server: ReportingServer;
beforeAll(async () => {
  server = await openReportingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the findings as `code file:line target`. */
async function findingsOf(site: string, files: Record<string, string | Uint8Array>): Promise<readonly string[]> {
  const { findings, status } = await server.reportOf(site, await server.deployFiles(site, files));
  expect(status).toBe("ready");
  return findings.map(({ code, file, line, target }) => `${code} ${file}:${line} ${target}`);
}

const RULES = `
/old /about
/gone /about 410
/lost/* /nowhere
/moved/* /docs/:splat 302
/app/* /app.html 200
/blog/:slug /posts/:slug 200
/loop/a /loop/b
/loop/b /loop/a
/out https://elsewhere.example/x
/search q=:q /find/:q 301
/forced /about 301!
/chain /old
/img/* /pixel.png 200
`;

const FILES: Record<string, string> = {
  "index.html": "start",
  "about.html": '<p id="team">about',
  "app.html": "app",
  "docs/index.html": "docs",
  "docs/guide.html": "guide",
  "docs/404.html": "nothing in docs",
  "both.html": "page",
  "both/index.html": "folder",
  "old-style/index.htm": "old",
  "posts/hello.html": "hello",
  "forced.html": "hidden",
  "Mixed/Case.html": "case",
  "a b/ü.html": "umlaut",
  "sign#1.html": "sign",
  "pixel.png": "png",
  "style.css": "",
  "data.json": "{}",
  ".hidden/x.html": "never served",
  _redirects: RULES,
};

const PATHS = [
  ...Object.keys(FILES).map((file) => `/${file.split("/").map(encodeURIComponent).join("/")}`),
  ..."/ /about /about/ /docs /docs/ /docs/guide /docs/guide/ /docs/missing /both /both/ /old-style /old-style/".split(
    " ",
  ),
  ..."/old /gone /lost/x /moved/guide /moved/x /app/x /app/x.js /blog/hello /blog/nobody /loop/a /out /chain".split(
    " ",
  ),
  ..."/search?q=about /search /forced /img/x.png /img/x /mixed/case /MIXED/CASE.HTML /Docs/Guide /ABOUT".split(" "),
  ..."/%zz /a%2fb /a\\b /%2e%2e/about /docs/../about /docs/%00 /x%5cy /missing.js /missing.php /missing//x".split(" "),
  ..."/.well-known/acme-challenge/x /.well-known/vitrine/x /.vitrine/logo /_headers".split(" "),
  `/${"x".repeat(8300)}`,
  "/a%20b/%C3%BC",
  "/a%20b/u%CC%88",
];

/** How a page makes a browser request an address, by the value of `Sec-Fetch-Dest`. */
const ELEMENTS: Readonly<Record<string, (address: string) => string>> = {
  document: (address) => `<a href="${address}">x</a>`,
  iframe: (address) => `<iframe src="${address}"></iframe>`,
  image: (address) => `<img src="${address}">`,
  script: (address) => `<script src="${address}"></script>`,
  style: (address) => `<link rel=stylesheet href="${address}">`,
};

/** Asks the server as a browser does, and returns the code of the finding that must result; null for none. */
async function askServer(site: string, path: string, destination: string): Promise<string | null> {
  const kind = Object.values(REQUESTS).find((request) => request.destination === destination);
  const headers = { accept: kind?.accept ?? "*/*", "sec-fetch-dest": destination };
  let url = new URL(path, server.siteUrl(site));
  for (let hops = 0; hops < 20; hops++) {
    const response = url.href.length > 8200 ? new Response("", { status: 414 }) : await visit(url, headers);
    const location = response.headers.get("location");
    if (response.status >= 400) return destination === "document" ? "broken_link" : "missing_asset";
    if (location === null) return hops === 0 ? null : "link_to_redirect";
    const next = new URL(location, url);
    if (next.host !== url.host) return "link_to_redirect";
    url = next;
  }
  return "redirect_loop";
}

/** The listener refuses the server's own paths before it looks for a site. */
function visit(url: URL, headers: Record<string, string>): Promise<Response> {
  if (/^\/\.well-known\/(?:acme-challenge|vitrine)\//.test(url.pathname)) {
    return Promise.resolve(new Response("", { status: 404 }));
  }
  if (url.pathname === "/.vitrine/logo") return Promise.resolve(new Response("logo"));
  const [label = ""] = url.hostname.split(".");
  return server.visit(label, url.href.slice(url.origin.length), { headers });
}

test.each([
  ["with an error page", { ...FILES, "404.html": "lost" }],
  ["with the single-page fallback", FILES],
  ["with a catch-all rewrite", { ...FILES, _redirects: `${RULES}/* /index.html 200\n` }],
])("a report of a site %s says what the server answers to each address", async (name, files) => {
  const site = name.replaceAll(" ", "-");
  const asked = Object.entries(ELEMENTS).flatMap(([destination, element]) =>
    PATHS.map((path) => ({ destination, path, line: element(path) })),
  );
  const links = asked.map(({ line }) => line).join("\n");
  const { findings, totals } = await server.reportOf(
    site,
    await server.deployFiles(site, { ...files, "links.html": links }),
  );
  expect(totals.links).toBe(asked.length);
  // Only a few visits at a time may load a deployment.
  await server.visit(site);
  const answered = await Promise.all(asked.map(({ path, destination }) => askServer(site, path, destination)));
  const said = asked.map((_, index) => {
    const found = findings.filter(({ file, line }) => file === "links.html" && line === index + 1);
    const [code = null] = found.map(({ code }) => code).filter((code) => code !== "answered_by_fallback");
    return code === "wrong_case" ? (asked[index]?.destination === "document" ? "broken_link" : "missing_asset") : code;
  });
  const both = (codes: readonly (string | null)[]) =>
    asked.map(({ path, destination }, index) => `${destination} ${path.slice(0, 40)}: ${codes[index]}`);
  expect(both(said)).toEqual(both(answered));
  expect(findings.some(({ code }) => code === "wrong_case")).toBe(name !== "with a catch-all rewrite");
  expect(findings.some(({ code }) => code === "answered_by_fallback")).toBe(name !== "with an error page");
});

test("each code is found where it is, and nothing else", async () => {
  const key = `ghp_${"A1b2C3d4E5f6G7h8I9j0".repeat(2).slice(0, 36)}`;
  const found = await findingsOf("codes", {
    "index.html": `<link rel=canonical href="/about/">
<a href="/missing?x=1#y">broken</a> <a href="mailto:a@b">mail</a> <a href="https://example.org/">out</a>
<img src="/missing.png" srcset="/pixel.png 1x, /missing-2x.png 2x"> <img src="http://cdn.example/x.png">
<a href="/ABOUT?x=1#team">case</a>
<a href="/about#nobody">fragment</a> <a href="/about#team">right</a> <a href="#top">top</a> <a href="#">top</a>
<a href="/loop">loop</a>
<a href="/docs">redirect</a>
<a href="http://localhost:3000/x">local</a> <a href="http://codes.localhost:9999/about">own</a>
<a href="http://2--other.localhost/">preview of another site</a>
<noscript><img src="/noscript.png"></noscript> <template><img src="/template.png"></template>
<a href="/about#:~:text=hello">text</a> <a href="#here">here</a> <a name="here"></a> <a href="/about#%74eam">escaped</a>
<style>
b { background: url(/in-style.png) }
</style>
<p style="background: url('/in-attribute.png')">
<a href="/about?a=1&amp;b=2">entity</a> <form action="/find" method=post></form> <form action="/search"></form>
`,
    "about.html": '<p id="team">',
    "404.html": '<a href="relative">x</a> <a href="/about">y</a>',
    "docs/index.html": '<base href="/other/"><a href="x">based</a><a href="#here" id="here">based, too</a>',
    "one.html": '<a href="?x=1">x</a>',
    "two.html": '<a href="?x=1">x</a>',
    "pixel.png": "png",
    "style.css": `@import "missing.css";\n/* url(comment.png) */ a { background: url( "pixel.png" ) } b { background: url(data:x) }`,
    "site.webmanifest": '{"start_url": "/app",\n"icons": [{"src": "icon.png"}]}',
    "app.js": `const key = "${key}"; // AKIAIOSFODNN7EXAMPLE`,
    _redirects: "/loop /loop/again\n/loop/again /loop\n/about /docs/\n/two x=1 /one 301!\n",
  });
  expect(found).toEqual([
    "broken_link docs/index.html:1 /other/x",
    "broken_link docs/index.html:1 /other/#here",
    "broken_link index.html:2 /missing?x=1#y",
    "missing_asset index.html:3 /missing.png",
    "missing_asset index.html:3 /missing-2x.png",
    "wrong_case index.html:4 /about?x=1#team",
    "broken_fragment index.html:5 /about#nobody",
    "redirect_loop index.html:6 /loop",
    "missing_asset index.html:10 /noscript.png",
    "missing_asset index.html:13 /in-style.png",
    "missing_asset index.html:15 /in-attribute.png",
    "broken_link index.html:16 /search",
    "missing_asset site.webmanifest:1 /app",
    "missing_asset site.webmanifest:2 /icon.png",
    "missing_asset style.css:1 /missing.css",
    "rule_never_matches _redirects:3 /about",
    "secret app.js:1 ghp_A1b2",
    "canonical_mismatch index.html:1 /about/",
    "link_to_redirect index.html:7 /docs",
    "local_address index.html:8 http://localhost:3000/x",
    "local_address index.html:9 http://2--other.localhost/",
    "link_to_redirect two.html:1 /two?x=1",
    "relative_in_substitute 404.html:1 relative",
  ]);
});

test("of several files that differ from a link in case alone, the first by name is the right one", async () => {
  const found = await findingsOf("cases", {
    "index.html": '<a href="/team">x</a>',
    "Team.html": "",
    "TEAM.html": "",
    "teaM.html": "",
    "404.html": "",
  });
  expect(found).toEqual(["wrong_case index.html:1 /TEAM"]);
});

test("a relative base in a substitute depends on the address asked for, like the links", async () => {
  const link = '<a href="x">x</a>';
  const found = await findingsOf("bases", {
    "index.html": "",
    "404.html": `<base href="./">${link}`,
    "a/404.html": `<base href="">${link}`,
    "b/404.html": `<base href="/b/">${link}`,
    "c/404.html": `<base href="//elsewhere.example/">${link}`,
    // The rule shows the page in its own folder, where the link means the same.
    "d/page.html": link,
    _redirects: "/d/:name /d/page.html 200\n",
  });
  expect(found).toEqual([
    "broken_link b/404.html:1 /b/x",
    "relative_in_substitute 404.html:1 x",
    "relative_in_substitute a/404.html:1 x",
  ]);
});

test("the fragment of a redirect replaces that of the link, and a page that is left at once has none", async () => {
  const found = await findingsOf("fragments", {
    "index.html": `<a href="/right#nobody">x</a>
<a href="/wrong#team">x</a>
<a href="/plain#team">x</a>
<a href="/plain#nobody">x</a>
<a href="/stub#nobody">x</a>
<a href="/slow#nobody">x</a>
<iframe src="/about#nobody"></iframe><link rel="canonical" href="/about#nobody">`,
    "about.html": '<p id="team">',
    "stub.html": '<meta http-equiv="refresh" content="0; url=/about">',
    "slow.html": '<meta http-equiv="refresh" content="30; url=/about">',
    "404.html": "",
    _redirects: "/right /about#team\n/wrong /about#nobody\n/plain /about\n",
  });
  expect(found).toEqual([
    "broken_fragment index.html:2 /wrong#team",
    "broken_fragment index.html:4 /plain#nobody",
    "broken_fragment index.html:6 /slow#nobody",
    "link_to_redirect index.html:1 /right#nobody",
    "link_to_redirect index.html:2 /wrong#team",
    "link_to_redirect index.html:3 /plain#team",
    "link_to_redirect index.html:4 /plain#nobody",
  ]);
});

test("hosts decide whose link it is, and whether a browser refuses what is loaded over http:", async () => {
  await using secure = await openReportingServer({ "base-url": "https://pages.example" });
  const own = `own.${secure.config.sitesDomain}`;
  const other = own.replace("own", "other");
  const rows: readonly [element: string, found: string | null][] = [
    ['<img src="http://cdn.example/x.png">', "mixed_content http://cdn.example/x.png"],
    ['<img src="https://cdn.example/x.png">', null],
    ['<a href="http://cdn.example/x">', null],
    ['<link rel="canonical" href="http://cdn.example/x">', null],
    [`<link rel="stylesheet" href="http://${own}/x.css">`, "mixed_content /x.css"],
    [`<img src="http://${other}/x.png">`, `mixed_content http://${other}/x.png`],
    [`<a href="http://${own}/x.css">`, null],
    [`<a href="http://${own}:8080/lost#a">`, "broken_link /lost#a"],
    [`<a href="//7--${own}/lost">`, "broken_link /lost"],
    [`<a href="https://alias--${own}./lost?x">`, "broken_link /lost?x"],
    ['<a href="https://WWW.verified.example/lost">', "broken_link /lost"],
    ['<a href="https://www.pending.example/lost">', null],
    [`<a href="https://${other}/lost">`, null],
    [`<a href="https://alias--${other}/x">`, `local_address https://alias--${other}/x`],
    ['<img src="http://localhost:3000/x.png">', "local_address http://localhost:3000/x.png"],
    ['<a href="https://dev.localhost/">', "local_address https://dev.localhost/"],
    ['<a href="http://127.1/x">', "local_address http://127.0.0.1/x"],
    ['<a href="http://0x7f000002/">', "local_address http://127.0.0.2/"],
    ['<a href="http://[::1]/">', "local_address http://[::1]/"],
    ['<a href="http://localhost.example/">', null],
    ['<a href="https://pages.example/dashboard">', null],
    ['<a href="http://[broken/">', null],
  ];
  const page = rows.map(([element]) => element).join("\n");
  const number = await secure.deployFiles("own", { "index.html": page, "x.css": "", "404.html": "" });
  await claimDomains(secure, { "www.verified.example": "verified", "www.pending.example": "pending" });
  const { findings } = await secure.reportOf("own", number);
  const found = new Map(findings.map(({ line, code, target }) => [line, `${code} ${target}`]));
  expect(findings).toHaveLength(found.size);
  expect(rows.map(([element], index) => [element, found.get(index + 1) ?? null])).toEqual([...rows]);
});

/** Claims hostnames for the site `own`. */
async function claimDomains(
  { store, clock }: TestApi,
  hostnames: Readonly<Record<string, "verified" | "pending">>,
): Promise<void> {
  const site = (await store.sites.find("own"))!;
  for (const [hostname, status] of Object.entries(hostnames)) {
    await addClaim(store, { hostname, siteId: site.id, ownerId: site.ownerId, createdAt: clock.now() }, { status });
  }
}

test("findings of the live deployment are not new, and an activation compares again", async () => {
  const page = (...links: readonly string[]) => links.map((link) => `<a href="${link}">x</a>`).join("\n");
  const preview = { "X-Service-Activate": "no" };
  const newOf = (report: Report) =>
    report.findings.filter((one) => one.new).map(({ file, target }) => `${file} ${target}`);
  await server.deployFiles("history", { "index.html": page("/a", "/b"), "404.html": "" });
  await server.deployFiles(
    "history",
    { "index.html": page("/a", "/c"), "moved.html": page("/b"), "404.html": "" },
    preview,
  );
  await server.deployFiles("history", { "index.html": page("/c", "/c"), "404.html": "" });
  const first = await server.reportOf("history", 1);
  expect([first.compared_to, first.summary.new_errors]).toEqual([null, 2]);
  const second = await server.reportOf("history", 2);
  expect([second.compared_to, second.summary, newOf(second)]).toEqual([
    1,
    { errors: 3, warnings: 0, notes: 0, new_errors: 1, new_warnings: 0 },
    ["index.html /c"],
  ]);
  expect(second.findings[0]).toMatchObject({ target: "/c", new: true });
  const withThird = await server.reportOf("history", 2, "?with=3");
  expect([withThird.compared_to, newOf(withThird)]).toEqual([3, ["index.html /a", "moved.html /b"]]);
  await server.call("POST", "/sites/history/deployments/2/activate", { token: server.owner });
  const again = await server.call("GET", "/sites/history/deployments/2/report", { token: server.owner });
  expect(await again.json()).toEqual(withThird);
  expect(await server.reportOf("history", 2)).toEqual(withThird);
});

test("a page whose report cannot be read to its end is a note, and the report is ready", async () => {
  const found = await findingsOf("hostile", {
    "index.html": '<a href="/binary">x</a>',
    "404.html": "",
    "binary.html": new Uint8Array(5000).map((_, index) => index % 7),
    "large.html": " ".repeat(10 * 1024 * 1024 + 1),
    "many.html": '<a href="/binary">x</a>'.repeat(50_001),
  });
  expect(found.filter((text) => !text.startsWith("not_checked"))).toEqual([]);
  expect(found).toEqual(["binary", "large", "many"].map((name) => `not_checked ${name}.html:0 null`));
});
