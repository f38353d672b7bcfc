import { describe, expect, test } from "bun:test";
import type { ObservedMode } from "../model/claim.ts";
import { diagnose } from "./diagnostics.ts";
import { type AddressWord, aConnected, type ProbeWord, seen, T0 } from "./testing/observations.ts";

const context = { now: T0, rangesVersion: "2023-09-28", tlsOff: false };
const behindEdge = aConnected({ effectiveMode: "proxy" });

function parts(
  words: { http?: ProbeWord; https?: ProbeWord; addresses?: AddressWord },
  observed: ObservedMode = "proxy",
) {
  const { observation } = seen({ addresses: "edge", ...words });
  const found = diagnose(behindEdge, observation, observed, observed === "proxy" ? null : "trouble", context);
  return Object.fromEntries(
    Object.entries(found ?? {}).flatMap(([name, part]) =>
      typeof part === "object" && part !== null ? [[name, (part as { status: string }).status]] : [],
    ),
  );
}

describe("each component of the path through the edge", () => {
  const ok = { dns: "ok", edgeTls: "ok", edgeHttp: "ok", httpForwarding: "ok", origin: "ok", ownership: "ok" };
  test.each<[string, Parameters<typeof parts>[0], Record<string, string>]>([
    ["all is well", { http: "returned", https: "returned" }, {}],
    ["its certificate is doubtful", { http: "returned", https: "wrong certificate" }, { edgeTls: "warning" }],
    [
      "it cannot agree on TLS with the origin",
      { http: "returned", https: "525" },
      { edgeHttp: "error", origin: "error", ownership: "pending" },
    ],
    [
      "somebody else answers",
      { http: "returned", https: "stranger" },
      { edgeHttp: "error", origin: "pending", ownership: "error" },
    ],
    [
      "it redirects for ever",
      { http: "returned", https: "loop" },
      { edgeHttp: "error", origin: "pending", ownership: "pending" },
    ],
    [
      "it keeps an error in its cache",
      { http: "returned", https: "cached" },
      { edgeHttp: "error", origin: "pending", ownership: "pending" },
    ],
    [
      "it is closed",
      { http: "returned", https: "closed" },
      { edgeTls: "skipped", edgeHttp: "error", origin: "pending", ownership: "pending" },
    ],
    ["it sends people to HTTPS", { http: "loop", https: "returned" }, { httpForwarding: "warning" }],
    ["it forwards no HTTP", { http: "closed", https: "returned" }, { httpForwarding: "error" }],
    [
      "it was not checked yet",
      {},
      { edgeTls: "pending", edgeHttp: "pending", httpForwarding: "pending", origin: "pending", ownership: "pending" },
    ],
  ])("when %s", (_, words, differences) => {
    expect(parts(words)).toEqual({ ...ok, ...differences });
  });

  test.each<[ObservedMode, string]>([
    ["mixed", "warning"],
    ["direct", "warning"],
    ["unsupported", "error"],
    ["unavailable", "error"],
  ])("with a name that is %s, dns is %s", (observed, status) => {
    expect(parts({ http: "returned", https: "returned" }, observed)).toMatchObject({
      dns: status,
      edgeHttp: "pending",
    });
  });
});

test("consecutive failures are counted and reset by a success", () => {
  const failing = diagnose(behindEdge, seen({ https: "525" }).observation, "proxy", null, context);
  const again = diagnose(
    { ...behindEdge, diagnostics: failing },
    seen({ https: "525" }).observation,
    "proxy",
    null,
    context,
  );
  const well = { http: "returned", https: "returned" } as const;
  const mended = diagnose({ ...behindEdge, diagnostics: again }, seen(well).observation, "proxy", null, context);
  expect([failing, again, mended].map((it) => it?.consecutiveFailures)).toEqual([1, 2, 0]);
});

test("a hostname that is not behind the edge has no diagnostics", () => {
  const { observation } = seen({ addresses: "ours", http: "returned" });
  expect(diagnose(aConnected(), observation, "direct", null, context)).toBeNull();
  expect(diagnose(aConnected(), observation, "unsupported", null, context)).toBeNull();
});

test("with TLS off, HTTPS is skipped and the HTTP probe is used", () => {
  const { observation } = seen({ http: "returned" });
  expect(diagnose(behindEdge, observation, "proxy", null, { ...context, tlsOff: true })).toMatchObject({
    edgeTls: { status: "skipped" },
    edgeHttp: { status: "skipped", edgeRay: "8f00-FRA", statusCode: 200 },
    origin: { status: "ok" },
    ownership: { status: "ok" },
  });
});
