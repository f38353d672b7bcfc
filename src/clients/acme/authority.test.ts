import { expect } from "bun:test";
import { X509Certificate } from "node:crypto";
import type { PlacedOrder } from "../../domain/model/certificate.ts";
import { CertificateFailure, type CertificateRequest } from "../../domain/ports/certificate-authority.ts";
import type { Store } from "../../domain/ports/store.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { freePort } from "../../testing/free-port.ts";
import { needing } from "../../testing/needing.ts";
import { type Responder, startResponder } from "../dns/responder.ts";
import { systemClock } from "../system/clock.ts";
import { acmeAuthority } from "./authority.ts";
import { startNameserver, type TestNameserver } from "./testing/nameserver.ts";
import { type Pebble, startPebble } from "./testing/pebble.ts";
import { readTrustRoot } from "./transport.ts";

const { afterAll, beforeAll, beforeEach, describe, test } = needing("pebble");

const PREFIX = "/.well-known/acme-challenge/";

let store: Store;
let pebble: Pebble;
let nameserver: TestNameserver;
let responder: Responder;
let http: Bun.Server<undefined>;
/** The response to HTTP-01 validation: as published, or different. */
let response: (token: string) => string | undefined;

beforeAll(async () => {
  store = temporaryStore();
  http = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => respond(new URL(request.url).pathname) });
  const texts = (name: string) => store.acme.challengeValues("dns-01", name, Date.now());
  const zones = { names: ["_acme-challenge.sites.test"], nameserver: "sites.test", texts };
  responder = await startResponder({ host: "127.0.0.1", port: freePort() }, zones, () => {});
  nameserver = await startNameserver(() => responder.port);
  pebble = await startPebble({ httpPort: http.port ?? 0, nameserver: nameserver.address, nonceRejections: 10 });
});

afterAll(async () => {
  await pebble.stop();
  await Promise.all([responder.close(), nameserver.close(), http.stop(true)]);
});

beforeEach(() => {
  response = (token) => store.acme.challengeValues("http-01", token, Date.now())[0];
});

function respond(path: string): Response {
  const value = path.startsWith(PREFIX) ? response(path.slice(PREFIX.length)) : undefined;
  return value === undefined ? new Response("not found", { status: 404 }) : new Response(value);
}

function authority(directory = pebble.directory) {
  return acmeAuthority(
    { directory, email: "operator@example.org", eab: null, trustRoot: readTrustRoot(pebble.caFile) },
    { store: store.acme, clock: systemClock },
  );
}

function request(change: Partial<CertificateRequest> = {}): CertificateRequest {
  const fresh = { challenge: "http-01", pending: null, replaces: null, placed: async () => {} } as const;
  return { identifiers: ["shop.test"], ...fresh, ...change };
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CertificateFailure);
  return (error as CertificateFailure).failure;
}

describe("against pebble, which refuses 10 of 100 nonces", () => {
  test("HTTP-01 gives a certificate that verifies against the CA's root", async () => {
    const { names, chain, notBefore, notAfter, authority: from } = await authority().obtain(request());
    expect(names).toEqual(["shop.test"]);
    expect(from).toBe(pebble.directory);
    expect(notAfter - notBefore).toBeGreaterThan(86_400_000);
    const [leaf, intermediate] = chain.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => pem.trim());
    const issuer = new X509Certificate(intermediate ?? "");
    expect(new X509Certificate(leaf ?? "").verify(issuer.publicKey)).toBe(true);
    expect(issuer.verify(new X509Certificate(await pebble.root()).publicKey)).toBe(true);
  });

  test("DNS-01 through the responder gives the wildcard with its parent, in one certificate", async () => {
    const identifiers = ["sites.test", "*.sites.test"];
    const { names } = await authority().obtain(request({ identifiers, challenge: "dns-01" }));
    expect([...names].sort()).toEqual(["*.sites.test", "sites.test"]);
  });

  test("a wrong response is a failed validation with the CA's reason, and the challenge is withdrawn", async () => {
    const tokens: string[] = [];
    response = (token) => {
      tokens.push(token);
      return "wrong";
    };
    const failure = await failureOf(authority().obtain(request({ identifiers: ["wrong.test"] })));
    expect(failure.kind).toBe("validation");
    expect(failure.error).toContain("the CA could not verify wrong.test by http-01: ");
    expect(failure.authority).toBe(pebble.directory);
    expect(tokens.length).toBeGreaterThan(0);
    for (const token of tokens) expect(store.acme.challengeValues("http-01", token, Date.now())).toEqual([]);
  });

  test("an interrupted order is resumed with its key, not placed again", async () => {
    let placed: PlacedOrder | null = null;
    const killed = request({
      identifiers: ["resumed.test"],
      placed: async (order) => {
        placed = order;
        throw new Error("killed");
      },
    });
    await authority()
      .obtain(killed)
      .catch(() => {});
    const again = request({
      identifiers: ["resumed.test"],
      pending: placed,
      placed: () => Promise.reject(new Error("placed twice")),
    });
    const certificate = await authority().obtain(again);
    expect(certificate.key).toBe(placed!.key);
    // Resumed again, the finished order returns the same certificate.
    expect((await authority().obtain(again)).chain).toBe(certificate.chain);
  });

  test("an order that the CA no longer knows is placed again", async () => {
    const pending = { authority: pebble.directory, url: pebble.directory.replace("/dir", "/my-order/no"), key: "" };
    expect((await authority().obtain(request({ pending }))).names).toEqual(["shop.test"]);
  });

  test("the account is created once and found after a restart", async () => {
    await authority().prepare();
    const known = await store.acme.account(pebble.directory);
    expect(known?.url).toStartWith("https://");
    await authority().prepare();
    expect(await store.acme.account(pebble.directory)).toEqual(known!);
  });

  test("an account that the CA no longer knows is created again with the same key", async () => {
    const before = await store.acme.account(pebble.directory);
    await pebble.restart();
    expect((await authority().obtain(request({ identifiers: ["after.test"] }))).names).toEqual(["after.test"]);
    expect((await store.acme.account(pebble.directory))?.key).toBe(before!.key);
  });

  test("without renewal information from the CA there is no window", async () => {
    const certificate = await authority().obtain(request());
    expect((await authority().renewalInfo(certificate)).window).toBeNull();
  });

  test("a server with an untrusted certificate is refused", async () => {
    const stranger = pebble.directory.replace("localhost", "127.0.0.1");
    expect((await failureOf(authority(stranger).prepare())).kind).toBe("unreachable");
  });
});

test("external account binding works with a CA that requires it", async () => {
  const hmacKey = Buffer.from("a secret of thirty-two bytes....").toString("base64url");
  const strict = await startPebble({ httpPort: 1, nameserver: nameserver.address, eab: { "kid-1": hmacKey } });
  const ports = { store: store.acme, clock: systemClock };
  const { directory } = strict;
  const trustRoot = readTrustRoot(strict.caFile);
  const without = await failureOf(acmeAuthority({ directory, email: null, eab: null, trustRoot }, ports).prepare());
  await acmeAuthority({ directory, email: null, eab: { kid: "kid-1", hmacKey }, trustRoot }, ports).prepare();
  await strict.stop();
  expect(without.kind).toBe("refused");
  expect((await store.acme.account(directory))?.url).toStartWith("https://");
});
