// Measures the worst case of `_redirects` and `_headers`: the time to parse them at a deployment, to load them, and per
// request.
//   node scripts/with-bun.mjs scripts/bench/rules.ts [--only stars]
// The files are as large as the limits allow, and nearly every rule has to be compared to its end.
import { parseArgs } from "node:util";
import { parseHeaders } from "../../src/domain/rules/headers-file.ts";
import { parseRedirects } from "../../src/domain/rules/redirects-file.ts";
import { compileManifest, type FileLookup } from "../../src/serving/deployments.ts";
import { resolve } from "../../src/serving/resolve.ts";
import { fileHeaders } from "../../src/serving/response-headers.ts";
import { median } from "../statistics.ts";

const { values } = parseArgs({ args: process.argv.slice(2), options: { only: { type: "string", default: "" } } });

/** The number of measured requests. Each has another address, so that no cache helps. */
const REQUESTS = 200;
const WARM_UP = 50;
/** The longest address. The server rejects longer ones without reading the rules. */
const MAX_ADDRESS_LENGTH = 8192;

interface Case {
  readonly name: string;
  readonly redirects?: string;
  readonly headers?: string;
  /** The path that is requested. A number follows it, so that no two addresses are the same. */
  readonly path: string;
  readonly query?: string;
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const joined = (count: number, text: (index: number) => string, by: string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(by);
const a = (count: number) => "a".repeat(count);
const parameters = joined(100, (i) => `p${i}=1`, "&");
const conditions = joined(7, (i) => `p${i}=1`, " ");
const deep = "/a".repeat(31);

const CASES: readonly Case[] = [
  {
    name: "2,500 rules, none fits",
    redirects: `${lines(2000, (i) => `/plain-${i} /x`)}\n${lines(500, (i) => `/pattern-${i}/* /x`)}`,
    path: "/page",
  },
  {
    name: "query parameters",
    redirects: `${lines(2000, (i) => `/a ${conditions} q=${i} /b`)}\n${lines(500, (i) => `/:x ${conditions} q=${i} /b`)}`,
    path: "/a",
    query: `?${parameters}&`,
  },
  {
    name: "thousands of query parameters",
    redirects: lines(2000, (i) => `/a q=${i} /b`),
    path: "/a",
    query: `?${"p&".repeat(MAX_ADDRESS_LENGTH / 2 - 10)}`,
  },
  { name: "segments", redirects: lines(500, (i) => `${deep}/no-${i}/* /x`), path: `${deep}/` },
  {
    name: "segments of a longer path",
    redirects: lines(500, (i) => `/:a${deep.slice(4)}/no-${i}/* /x`),
    path: "/a".repeat(4000),
  },
  {
    name: "placeholders",
    redirects: lines(500, (i) => `/${joined(30, (j) => `:p${j}`, "/")}/no-${i} /x`),
    path: `/${joined(31, () => a(250), "/")}`,
  },
  {
    name: "escaped slashes, read twice",
    redirects: lines(500, (i) => `/${joined(30, (j) => `:p${j}`, "/")}/no-${i} /x`),
    path: `/%2F${joined(31, () => a(200), "/")}`,
  },
  { name: "long beginnings", redirects: lines(500, (i) => `/${a(490 + (i % 10))}x* /x`), path: `/${a(8000)}` },
  {
    name: "redirects to themselves",
    redirects: lines(500, () => `/:x/* /:x/:splat`),
    path: `/a/${a(8000)}`,
  },
  {
    name: "redirects to themselves, with a query",
    redirects: lines(500, (i) => `/:x/* y=:y /:x/:splat?q=:splat&y=:y${i % 2 ? "" : "#x"}`),
    path: `/a/${a(3000)}`,
    query: `?q=${a(3000)}&y=`,
  },
  {
    name: "redirects to themselves, by segments",
    redirects: lines(
      500,
      (i) =>
        `/${joined(20, (j) => `:${i}p${j}`.replace(/:(\d)/, ":n$1"), "/")} /${joined(20, (j) => `:n${i}p${j}`, "/")}`,
    ),
    path: `/${joined(20, () => a(390), "/")}`,
  },
  {
    name: "hosts that are none",
    redirects: lines(500, (i) => `/:x/* https://:x:splat.example/${i}`),
    path: `/${a(200)}/${a(50)}_`,
  },
  { name: "a target of one value, many times", redirects: `/* ${"/:splat".repeat(19)}`, path: `/${"ü".repeat(1300)}` },
  { name: "header paths, none fits", headers: lines(500, (i) => `/docs/${i}/*\n  X-A: ${i}`), path: "/page" },
  { name: "header paths that fit", headers: lines(500, (i) => `/*\n  X-A-${i}: ${a(400)}`), path: "/page" },
  {
    name: "many header fields",
    headers: lines(500, (i) => `/*\n${lines(20, (j) => `  X-${i}-${j}: 1`)}`),
    path: "/page",
  },
  { name: "header segments", headers: lines(500, (i) => `${deep}/no-${i}\n  X-A: 1`), path: `${deep}/` },
  {
    name: "header placeholders",
    headers: lines(500, (i) => `/${joined(30, (j) => `:p${j}`, "/")}/no-${i}*\n  X-A: 1`),
    path: `/${joined(31, () => a(250), "/")}`,
  },
  {
    name: "header placeholders from the end",
    headers: lines(500, (i) => `/*no-${i}/${joined(30, (j) => `:p${j}`, "/")}\n  X-A: 1`),
    path: `/${a(100)}/${joined(29, () => a(250), "/")}/`,
  },
  { name: "stars", headers: lines(500, (i) => `/${"*ab".repeat(3)}*${i}x\n  X-A: 1`), path: `/${"ab".repeat(4000)}` },
  {
    name: "stars and texts that nearly fit",
    headers: lines(500, (i) => `/*${"ab".repeat(24)}ba*${i}x\n  X-A: 1`),
    path: `/${"ab".repeat(4000)}`,
  },
  {
    name: "stars and texts that are not there",
    headers: lines(500, (i) => `/*${"b".repeat(49)}${i % 10}*\n  X-A: 1`),
    path: `/${a(8000)}`,
  },
  {
    name: "header values with placeholders",
    headers: lines(500, () => `/:x/*\n  X-A: ${":splat ".repeat(10)}`),
    path: `/a/${a(8000)}`,
  },
];

const FACTS = {
  route: { private: false, isLive: true },
  status: 200,
  contentType: "text/html",
  isFingerprinted: false,
  isForPages: false,
  canonical: null,
  coding: null,
};

const files: FileLookup = { get: () => null, has: (path) => path === "404.html" };

function measure({ redirects = "", headers = "", path, query = "" }: Case) {
  const started = performance.now();
  const ruled = { redirects: parseRedirects(redirects, new Set()), headers: parseHeaders(headers) };
  const parsed = performance.now();
  const manifest = compileManifest(
    { redirects: ruled.redirects.rules, headers: ruled.headers.rules, errorPageDepth: -1 },
    files,
  );
  const loaded = performance.now();
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + REQUESTS; i += 1) {
    const number = String(i).padStart(4, "0");
    const requested = { path: encodeURI(path) + (query ? "" : number), query: query && query + number };
    if ((requested.path + requested.query).length > MAX_ADDRESS_LENGTH)
      throw new Error(`${requested.path.slice(0, 40)}… is too long`);
    const decoded = decodeURI(requested.path);
    const start = performance.now();
    resolve(manifest, { ...requested, decodedPath: decoded, accept: null, secFetchDest: null });
    const rules = manifest.headerRules(decoded);
    // As for an address with no cached fields.
    if (headers) fileHeaders({ ...FACTS, rules });
    if (i >= WARM_UP) times.push(performance.now() - start);
  }
  const rules = ruled.redirects.rules.length + ruled.headers.rules.length;
  return { rules, parse: parsed - started, load: loaded - parsed, request: median(times) };
}

console.log(`${"".padEnd(40)} rules   read, ms   load, ms   request, ms`);
for (const one of CASES) {
  if (!one.name.includes(values.only)) continue;
  const { rules, parse, load, request } = measure(one);
  const figures = [parse.toFixed(0).padStart(8), load.toFixed(1).padStart(8), request.toFixed(3).padStart(10)];
  console.log(`${one.name.padEnd(40)} ${String(rules).padStart(5)}   ${figures.join("   ")}`);
}
