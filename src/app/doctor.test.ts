import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { selfSigned } from "../clients/http/testing/self-signed.ts";
import { loadConfig } from "../config/settings.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { examine, examineHealthAlone } from "./doctor.ts";
import { withDataFolder } from "./operator.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const settings = (flags: Record<string, string> = {}) =>
  loadConfig({ flags: { dataDir: folder, listen: "127.0.0.1:0", ...flags }, env: {} });

async function examined(check: string, flags: Record<string, string> = {}) {
  return (await examine(settings(flags))).filter((finding) => finding.check === check);
}

test.each(["listen", "httpListen", "metricsListen"])(
  "a port of %s that another program uses is a problem",
  async (name) => {
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const ports = await examined("port", { [name]: `127.0.0.1:${other.port}` });
    expect(ports.filter(({ verdict }) => verdict === "problem")).toMatchObject([
      { advice: `see which program listens there: ss -ltnp 'sport = :${other.port}'` },
    ]);
  },
);

needing("/dev/shm").test("for a folder that does not exist yet, the disk of its parent folder is checked", async () => {
  const [there, toMake, root] = await Promise.all(
    ["/dev/shm", "/dev/shm/not/there", "/"].map((dataDir) => examined("disk", { dataDir })),
  );
  expect(toMake).toEqual(there as typeof toMake);
  expect(toMake).not.toEqual(root as typeof toMake);
});

test("a base URL without HTTPS is a warning if the server speaks TLS", async () => {
  const baseUrl = "http://pages.localhost";
  const advice = 'set base-url = "https://pages.localhost"';
  expect(await examined("base URL", { baseUrl, tls: "internal" })).toMatchObject([{ verdict: "warning", advice }]);
  expect(await examined("base URL", { baseUrl, tls: "off" })).toEqual([]);
  expect(await examined("base URL", { tls: "internal" })).toEqual([]);
});

test.each([
  ["https://pages.example.org", undefined, "example.org"],
  ["https://example.org", "pages.example.org", "example.org"],
  ["https://pages.example.org", "example.co.uk", null],
  ["https://pages.example.co.uk", "other.co.uk", null],
  ["https://vitrine.test", undefined, "vitrine.test"],
  // Both are on the public suffix list, so that browsers let no site set cookies for them.
  ["https://github.io", undefined, null],
  ["https://pages.example.org", "github.io", null],
  ["http://localhost:8080", undefined, null],
  ["http://203.0.113.7", "example.org", null],
])("with the dashboard at %s and sites below %p, a warning names %p", async (baseUrl, sitesDomain, shared) => {
  const found = await examined("sites domain", { baseUrl, ...(sitesDomain ? { sitesDomain } : {}) });
  const detail = `sites and dashboard share ${shared}: cookies of one site can lock its visitors out of all of them`;
  expect(found.map((finding) => finding.detail)).toEqual(shared === null ? [] : [detail]);
});

test("metadata at two places, or at one that the settings do not name, are a problem", async () => {
  writeFileSync(join(folder, "replica.db"), "");
  const elsewhere = { verdict: "problem", detail: expect.stringContaining("whose database is elsewhere") };
  expect(await examined("database")).toMatchObject([elsewhere]);
  const database = `postgres://127.0.0.1:${freePort()}/vitrine`;
  const away = { verdict: "problem", detail: expect.stringContaining("check host and port") };
  expect(await examined("database", { database })).toMatchObject([away]);
  await makeDataFolder(folder);
  const both = { verdict: "problem", detail: expect.stringContaining("has a database of its own") };
  expect(await examined("database", { database })).toMatchObject([both]);
});

/** Creates the data folder of a server that managed a certificate before. */
async function wantManaged(): Promise<void> {
  await makeDataFolder(settings().dataDir);
  await withDataFolder(settings(), ({ store }) => store.certificates.want(managedBefore));
}

const managedBefore = { identifiers: ["before.localhost"], challenge: "http-01", origin: "appliance" } as const;

test("without TLS no certificate is checked", async () => {
  await wantManaged();
  expect(await examined("certificate")).toEqual([]);
  const internal = { tls: "internal", baseUrl: "https://pages.localhost" };
  expect(await examined("certificate", internal)).toMatchObject([
    { detail: expect.stringContaining("before.localhost") },
  ]);
});

test("without the DNS responder, sites have no certificate from a public CA, which is reported", async () => {
  const acme = { tls: "acme", baseUrl: "https://pages.example.org" };
  expect(await examined("certificate", acme)).toEqual([
    {
      check: "certificate",
      verdict: "warning",
      detail: "sites under pages.example.org need a wildcard certificate, which takes DNS-01",
      advice: "set dns-listen, and add the DNS record _acme-challenge.pages.example.org NS pages.example.org",
    },
  ]);
  expect(await examined("certificate", { ...acme, dnsListen: "127.0.0.1:0" })).toEqual([]);
});

describe("the operator's certificate", () => {
  const file = (name: string) => join(folder, name);

  test.each([
    [["pages.localhost", "*.pages.localhost"], null],
    [["pages.localhost"], "*.pages.localhost"],
    [["*.pages.localhost"], "pages.localhost"],
    [["*.localhost"], "*.pages.localhost"],
  ])("for %p lacks %p", async (names, lacking) => {
    const { cert, key } = await selfSigned(...(names as [string, ...string[]]));
    writeFileSync(file("cert.pem"), cert);
    writeFileSync(file("key.pem"), key);
    await wantManaged();
    const flags = {
      tls: "manual",
      tlsCert: file("cert.pem"),
      tlsKey: file("key.pem"),
      baseUrl: "https://pages.localhost",
    };
    const found = await examined("certificate", flags);
    expect(found[0]).toMatchObject({ verdict: "warning", detail: `${file("cert.pem")} expires in 0 days` });
    const others = found.slice(1).map(({ detail }) => detail);
    const detail = `${file("cert.pem")} is valid for ${names.join(", ")}, but not for ${lacking}`;
    expect(others).toEqual(lacking === null ? [] : [detail]);
  });
});

test("in invalid files is a problem before the first start, too", async () => {
  const at = (name: string) => join(folder, name);
  const flags = { tls: "manual", tlsCert: at("cert.pem"), tlsKey: at("key.pem"), baseUrl: "https://pages.localhost" };
  expect(await examined("certificate", flags)).toMatchObject([
    { verdict: "problem", detail: `--tls-cert ${at("cert.pem")} cannot be read: no such file` },
  ]);
  const { cert } = await selfSigned("pages.localhost");
  writeFileSync(at("cert.pem"), cert);
  writeFileSync(at("key.pem"), "");
  expect(await examined("certificate", flags)).toMatchObject([
    { detail: expect.stringContaining(`--tls-key ${at("key.pem")}: the private key is not in PEM form`) },
  ]);
});

describe("a configuration that serve refuses is a problem", () => {
  const at = (name: string) => join(folder, name);

  test("a data folder that is a broken link", async () => {
    symlinkSync(at("unmounted"), at("link"));
    expect(await examined("data folder", { dataDir: at("link") })).toMatchObject([
      { verdict: "problem", detail: `${at("link")} is a link to ${at("unmounted")}, which does not exist` },
    ]);
  });

  test("a data folder that is a file", async () => {
    writeFileSync(at("file"), "");
    expect(await examined("data folder", { dataDir: at("file") })).toMatchObject([
      { verdict: "problem", detail: `${at("file")} is not a folder` },
    ]);
  });

  test("a lock that is a folder", async () => {
    mkdirSync(at("vitrine.lock"));
    expect(await examined("server")).toMatchObject([
      { verdict: "problem", detail: `${at("vitrine.lock")} is not a file and cannot be locked` },
    ]);
  });
});

test("the server's health is reported as it responds", async () => {
  const statuses = [200, 503];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ detail: "the disk is full" }, { status: statuses.shift() ?? 500 }),
  });
  const ask = () => examineHealthAlone(settings({ listen: `127.0.0.1:${server.port}`, dataDir: "/nowhere" }));
  expect(await ask()).toMatchObject([{ check: "server", verdict: "ok" }]);
  expect(await ask()).toMatchObject([{ verdict: "problem", detail: "answers 503: the disk is full" }]);
  await server.stop(true);
  const nothing = `does not answer at http://127.0.0.1:${server.port}/health: connection refused`;
  expect(await ask()).toMatchObject([{ verdict: "problem", detail: nothing }]);
});
