import { beforeEach, describe, expect, test } from "bun:test";
import { systemTimers } from "../../clients/system/timers.ts";
import type { DnsResponse } from "../ports/dns.ts";
import type { ProbeResult } from "../ports/edge.ts";
import type { PublishedChallenge } from "../ports/store/acme.ts";
import type { Store } from "../ports/store.ts";
import { challengeProbe } from "./probe.ts";

let published: PublishedChallenge[];
let everPublished: PublishedChallenge[];
/** Fake DNS and HTTP. Both serve the published challenge. */
let records: (name: string, type: string) => readonly string[] | DnsResponse;
let responses: (address: string, path: string) => string | null;

beforeEach(() => {
  published = [];
  everPublished = [];
  records = (_, type) => (type === "A" ? ["192.0.2.7"] : []);
  responses = (_, path) => published.find((one) => path.endsWith(`/${one.name}`))?.value ?? null;
});

const acme = {
  async publishChallenge(challenge: PublishedChallenge) {
    published.push(challenge);
    everPublished.push(challenge);
  },
  async withdrawChallenge({ value }: PublishedChallenge) {
    published = published.filter((one) => one.value !== value);
  },
} as unknown as Store["acme"];

function probe(identifier: string, type: "http-01" | "dns-01" = "http-01") {
  return challengeProbe({
    store: { acme },
    clock: { now: () => 0 },
    timers: systemTimers,
    secrets: { random: (length) => crypto.getRandomValues(new Uint8Array(length)), sha256: (text) => text },
    dns: {
      async lookup(name, recordType): Promise<DnsResponse> {
        const values = records(name, recordType);
        if ("kind" in values) return values;
        const common = { resolver: "192.0.2.53:53", aliases: [] };
        return values.length > 0
          ? { kind: "records", values, partial: false, ...common }
          : { kind: "nxdomain", ...common };
      },
    },
    prober: {
      async probe({ address, path }): Promise<ProbeResult> {
        const body = responses(address, path);
        if (body === null) return { kind: "connect", address, reason: "connection refused" };
        const none = {
          location: null,
          ray: null,
          cacheStatus: null,
          certificateError: null,
          certificateNamesHost: false,
        };
        return { kind: "answered", address, statusCode: 200, body, ...none };
      },
    },
  }).probe(identifier, type);
}

describe("HTTP-01", () => {
  test("a host that resolves to this server succeeds, and the challenge is withdrawn", async () => {
    expect(await probe("shop.example")).toBeNull();
    expect(everPublished).toHaveLength(1);
    expect(published).toEqual([]);
  });

  test("an IPv6 address of another server fails the probe despite a correct IPv4 address", async () => {
    records = (_, type) => (type === "A" ? ["192.0.2.7"] : ["2001:db8::1"]);
    const right = responses;
    responses = (address, path) => (address === "2001:db8::1" ? "parked" : right(address, path));
    expect(await probe("shop.example")).toBe(
      "http://shop.example leads elsewhere: something else answers at 2001:db8::1",
    );
  });

  test("an address that does not respond does not, if another one is correct", async () => {
    records = (_, type) => (type === "A" ? ["192.0.2.7"] : ["2001:db8::1"]);
    const right = responses;
    responses = (address, path) => (address === "2001:db8::1" ? null : right(address, path));
    expect(await probe("shop.example")).toBeNull();
  });

  test("of hundreds of addresses only a few of each family are probed", async () => {
    records = (_, type) => Array.from({ length: 300 }, (_, n) => (type === "A" ? `192.0.2.${n}` : `2001:db8::${n}`));
    const requested: string[] = [];
    responses = (address) => {
      requested.push(address);
      return null;
    };
    await probe("shop.example");
    expect(requested).toEqual(["192.0.2.0", "192.0.2.1", "2001:db8::0", "2001:db8::1"]);
  });

  test("a host without an address, or without a response, is reported", async () => {
    records = () => [];
    expect(await probe("shop.example")).toBe("shop.example has no address: set an A or AAAA record that leads here");
    records = (_, type) => (type === "A" ? ["192.0.2.7"] : []);
    responses = () => null;
    expect(await probe("shop.example")).toContain("192.0.2.7: connection refused");
  });
});

test.each([
  [{ kind: "failed", resolver: "192.0.2.53:53", reason: "SERVFAIL" }, "the resolver 192.0.2.53:53 answered SERVFAIL"],
  [{ kind: "silent", resolver: "192.0.2.53:53", reason: "no reply" }, "no resolver answered (192.0.2.53:53: no reply)"],
] as const)("a resolver without a usable response for a host is reported as %j", async (response, reason) => {
  records = (_, type) => (type === "A" ? response : []);
  expect(await probe("shop.example")).toBe(`the addresses of shop.example are not known: ${reason}`);
});

describe("DNS-01", () => {
  test("a wildcard is looked up at the record of its parent", async () => {
    records = (name) => (name === "_acme-challenge.sites.example" ? published.map((one) => one.value) : []);
    expect(await probe("*.sites.example", "dns-01")).toBeNull();
    expect(published).toEqual([]);
  });

  test("a missing delegation is reported with the record and the resolver", async () => {
    records = () => [];
    const error = await probe("*.sites.example", "dns-01");
    expect(error).toContain("_acme-challenge.sites.example");
    expect(error).toContain("192.0.2.53:53 answers nxdomain");
  });
});
