import { expect } from "bun:test";
import type { Certificate, PlacedOrder } from "../../domain/model/certificate.ts";
import { CertificateFailure } from "../../domain/ports/certificate-authority.ts";
import type { Store } from "../../domain/ports/store.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { needing } from "../../testing/needing.ts";
import { systemClock } from "../system/clock.ts";
import { acmeAuthority } from "./authority.ts";
import { type FaultyCa, startFaultyCa } from "./testing/faulty-proxy.ts";
import { startNameserver, type TestNameserver } from "./testing/nameserver.ts";
import { type Pebble, startPebble } from "./testing/pebble.ts";
import { parseRetryAfter, readTrustRoot } from "./transport.ts";

const { afterAll, beforeAll, beforeEach, describe, test } = needing("pebble");

const MINUTE = 60_000;

let store: Store;
let pebble: Pebble;
let ca: FaultyCa;
let nameserver: TestNameserver;
let http: Bun.Server<undefined>;
/** Another one for each test: Pebble reuses one authorization in a hundred, and the order then has no challenge. */
let name: string;

beforeAll(async () => {
  store = temporaryStore();
  http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const token = new URL(request.url).pathname.split("/").at(-1) ?? "";
      return new Response(store.acme.challengeValues("http-01", token, Date.now())[0] ?? "");
    },
  });
  nameserver = await startNameserver(() => null);
  pebble = await startPebble({ httpPort: http.port ?? 0, nameserver: nameserver.address, nonceRejections: 0 });
  ca = await startFaultyCa(pebble);
});

afterAll(async () => {
  await Promise.all([ca.stop(), pebble.stop(), nameserver.close(), http.stop(true)]);
});

beforeEach(() => {
  ca.fault = () => null;
  ca.forwarded.length = 0;
  name = `shop-${crypto.randomUUID()}.test`;
});

function problem(status: number, type: string, headers: Record<string, string> = {}): Response {
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail: "because" };
  return Response.json(body, { status, headers: { "Replay-Nonce": "x", ...headers } });
}

/** Obtains a certificate. Returns the placed order and the failure. */
async function obtain(pending: PlacedOrder | null = null) {
  let placed: PlacedOrder | null = pending;
  const ports = { store: store.acme, clock: systemClock };
  const error = await acmeAuthority(
    { directory: ca.directory, email: null, eab: null, trustRoot: readTrustRoot(ca.caFile) },
    ports,
  )
    .obtain({
      identifiers: [name],
      challenge: "http-01",
      pending,
      replaces: null,
      placed: async (order) => {
        placed = order;
      },
    })
    .then(
      () => null,
      (reason: unknown) => reason,
    );
  if (error !== null) expect(error).toBeInstanceOf(CertificateFailure);
  return { placed, failure: error === null ? null : (error as CertificateFailure).failure };
}

test.each([
  ["429 with Retry-After", () => problem(429, "rateLimited", { "Retry-After": "600" }), "refused", 10 * MINUTE],
  ["429 without", () => new Response("slow down", { status: 429 }), "refused", 60 * MINUTE],
  ["500", () => new Response("oops", { status: 500 }), "unreachable", null],
  ["503 with Retry-After", () => problem(503, "serverInternal", { "Retry-After": "120" }), "unreachable", 2 * MINUTE],
  ["a refusal", () => problem(403, "unauthorized"), "refused", null],
  ["a page in HTML", () => new Response("<html>welcome</html>"), "unreachable", null],
  ["nothing", () => new Response(null), "unreachable", null],
  ["a megabyte of noise", () => new Response("x".repeat(2 * 1024 * 1024)), "unreachable", null],
  ["a connection that breaks", () => "cut before" as const, "unreachable", null],
  ["bad nonces for ever", () => problem(400, "badNonce"), "unreachable", null],
])("a new order that gets %s", async (_, fault, kind, retryAfter) => {
  await obtain();
  ca.fault = (path) => (path === "/order-plz" ? fault() : null);
  const { failure } = await obtain();
  expect(failure).toMatchObject({ kind, retryAfter, authority: ca.directory });
  expect(failure?.error).toContain(new URL(ca.directory).host);
});

test.each([
  ["the directory", "/dir"],
  ["the nonces", "/nonce-plz"],
])("malformed %s count as an unreachable CA", async (_, broken) => {
  ca.fault = (path) => (path === broken ? Response.json({ hello: "world" }) : null);
  expect((await obtain()).failure?.kind).toBe("unreachable");
});

test.each([
  ["authorizations", "/authZ/"],
  ["challenges", "/chalZ/"],
  ["finalization", "/finalize-order/"],
  ["certificates", "/certZ/"],
])("when the connection fails at %s, after the CA has acted, the same order continues", async (_, place) => {
  ca.fault = (path) => (path.startsWith(place) ? "cut after" : null);
  const { failure, placed } = await obtain();
  expect(failure?.kind).toBe("unreachable");
  ca.fault = () => null;
  expect(await obtain(placed)).toMatchObject({ failure: null });
  expect(ca.forwarded.filter((path) => path === "/order-plz")).toHaveLength(1);
});

describe("renewal information", () => {
  const certificate: Certificate = {
    names: ["shop.test"],
    chain: "",
    key: "",
    notBefore: 0,
    notAfter: Date.UTC(2100, 0, 1),
    authority: "",
    renewalId: "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE",
  };

  /** Makes the CA offer renewal information with this response. */
  async function ask(response: () => Response) {
    const directory = { ...(await directoryOf(ca)), renewalInfo: `${new URL(ca.directory).origin}/ari/` };
    const requested: string[] = [];
    ca.fault = (path) => {
      if (path === "/dir") return Response.json(directory);
      if (!path.startsWith("/ari/")) return null;
      requested.push(path);
      return response();
    };
    const ports = { store: store.acme, clock: { now: () => 0 } };
    const authority = acmeAuthority(
      { directory: ca.directory, email: null, eab: null, trustRoot: readTrustRoot(ca.caFile) },
      ports,
    );
    return { info: await authority.renewalInfo(certificate), requested };
  }

  test("the window is requested by the certificate's identifier, and again after Retry-After", async () => {
    const suggestedWindow = { start: "2027-01-02T00:00:00Z", end: "2027-01-04T00:00:00Z" };
    const { info, requested } = await ask(() =>
      Response.json({ suggestedWindow }, { headers: { "Retry-After": "21600" } }),
    );
    expect(requested).toEqual([`/ari/${certificate.renewalId}`]);
    expect(info.window).toEqual({ start: Date.UTC(2027, 0, 2), end: Date.UTC(2027, 0, 4) });
    expect(info.nextLookAt).toBe(21_600_000);
  });

  test.each([
    ["no window", {}],
    ["a window without sense", { suggestedWindow: { start: "soon", end: 5 } }],
    ["text in its place", { suggestedWindow: "tomorrow" }],
  ])("%s is not a window", async (_, body) => {
    expect((await ask(() => Response.json(body))).info.window).toBeNull();
  });

  test("a Retry-After of a second is raised to an hour, and a long one limited to a day", async () => {
    const after = (seconds: string) => ask(() => Response.json({}, { headers: { "Retry-After": seconds } }));
    expect((await after("1")).info.nextLookAt).toBe(3_600_000);
    expect((await after("9999999")).info.nextLookAt).toBe(86_400_000);
  });

  test("an error is a failure of the CA", async () => {
    await expect(ask(() => new Response("oops", { status: 500 }))).rejects.toBeInstanceOf(CertificateFailure);
  });

  test("an order is placed even if the CA does not know the predecessor it names", async () => {
    await ask(() => Response.json({}));
    const ports = { store: store.acme, clock: systemClock };
    let refused = 0;
    const previous = ca.fault;
    ca.fault = (path) => (path === "/order-plz" && refused++ === 0 ? problem(409, "alreadyReplaced") : previous(path));
    const { names } = await acmeAuthority(
      { directory: ca.directory, email: null, eab: null, trustRoot: readTrustRoot(ca.caFile) },
      ports,
    ).obtain({
      identifiers: ["shop.test"],
      challenge: "http-01",
      pending: null,
      replaces: certificate.renewalId,
      placed: async () => {},
    });
    expect(names).toEqual(["shop.test"]);
    expect(refused).toBe(2);
  });
});

async function directoryOf({ directory, caFile }: FaultyCa): Promise<Record<string, unknown>> {
  const response = await fetch(directory, { tls: { ca: await Bun.file(caFile).text() } });
  return (await response.json()) as Record<string, unknown>;
}

test.each([
  ["120", 120_000],
  ["0", 0],
  ["Fri, 01 Jan 2027 00:02:00 GMT", 120_000],
  ["Thu, 31 Dec 2026 00:00:00 GMT", 0],
  ["soon", null],
  [null, null],
])("Retry-After %p is %p ms", (value, expected) => {
  const now = Date.UTC(2027, 0, 1);
  expect(parseRetryAfter(value, now)).toBe(expected);
});
