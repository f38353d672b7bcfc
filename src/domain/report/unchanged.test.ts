import { expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { basisOf, type ServerFacts } from "./unchanged.ts";

const SERVER = { sitesDomain: "sites.example", isSecure: false, maxUrlLength: 1000 };
const RULE = { line: 1, from: "/a", query: {}, to: "/b", status: 301, force: false };
const HOSTS = { ...SERVER, siteName: "blog", domains: new Set<string>() };
const FILE = { path: "a.html", digest: "1", size: 1 };
const OUTLINE = { links: 1, anchors: Uint32Array.of(1, 2) };
const FACTS = {
  manifest: { redirects: [RULE] },
  hosts: HOSTS,
  served: [FILE, { ...FILE, path: "b.html" }],
  outlines: new Map([["a.html", OUTLINE]]),
};

const basis = (other: Partial<typeof FACTS> = {}, server: Partial<ServerFacts> = {}) =>
  basisOf({ secrets: systemSecrets, server: { ...SERVER, ...server } }, { ...FACTS, ...other });

test.each<[what: string, other: string]>([
  ["a rule", basis({ manifest: { redirects: [{ ...RULE, status: 302 }] } })],
  ["the name of the site", basis({ hosts: { ...HOSTS, siteName: "diary" } })],
  ["a domain", basis({ hosts: { ...HOSTS, domains: new Set(["www.example.org"]) } })],
  ["a path", basis({ served: [FILE, { ...FILE, path: "c.html" }] })],
  ["an id", basis({ outlines: new Map([["a.html", { ...OUTLINE, anchors: Uint32Array.of(1, 3) }]]) })],
  ["HTTPS", basis({}, { isSecure: true })],
  ["the limit of URLs", basis({}, { maxUrlLength: 2000 })],
  ["the domain of sites", basis({}, { sitesDomain: "other.example" })],
])("all files are judged again after a change of %s", (_, other) => {
  expect(other).not.toBe(basis());
});

test("the content of a file alone is no reason to judge the others again", () => {
  const outlines = new Map([["a.html", { ...OUTLINE, links: 9 }]]);
  expect(basis({ served: FACTS.served.map((file) => ({ ...file, digest: "2", size: 2 })), outlines })).toBe(basis());
});
