import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Certificate } from "../../domain/model/certificate.ts";
import { needing } from "../../testing/needing.ts";
import { type RotatingListener, rotatingListener } from "./rotating-listener.ts";
import { certificates } from "./testing/certificates.ts";
import { presented } from "./testing/presented.ts";
import { tlsSet } from "./tls.ts";

let fallback: Certificate;
let shop: Certificate;
let wildcard: Certificate;
let listener: RotatingListener;

beforeAll(async () => {
  [fallback, shop, wildcard] = (await certificates([], ["shop.example.org"], ["*.sites.test", "sites.test"])) as [
    Certificate,
    Certificate,
    Certificate,
  ];
  listener = rotatingListener(options(), tlsSet([shop, wildcard], fallback));
});

afterAll(() => listener.stop());

function options(port = 0) {
  const fetch = async (request: Request) => {
    if (!request.url.endsWith("/slow")) return new Response("hello");
    arrived.resolve();
    await released.promise;
    return new Response("slow");
  };
  return {
    host: "127.0.0.1",
    port,
    idleTimeout: 10_000,
    respondToFailure: () => new Response(null, { status: 500 }),
    fetch,
  };
}

/** Resolves when a slow request has arrived, which then may get its response. */
let arrived = Promise.withResolvers<void>();
let released = Promise.withResolvers<void>();

async function askSlowly(port: number): Promise<{ response: Promise<Response> }> {
  arrived = Promise.withResolvers();
  released = Promise.withResolvers();
  const response = fetch(`https://127.0.0.1:${port}/slow`, { tls: { rejectUnauthorized: false } });
  await arrived.promise;
  return { response };
}

/** Returns the common name of the certificate for a server name. */
async function presentedName(servername: string, port = listener.port): Promise<string> {
  return (await presented(port, servername)).subject.replace("CN=", "");
}

async function openssl(...args: string[]): Promise<string> {
  const command = ["openssl", "s_client", "-connect", `127.0.0.1:${listener.port}`, ...args];
  const process = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  return (await new Response(process.stdout).text()) + (await new Response(process.stderr).text());
}

test.each([
  ["shop.example.org", "shop.example.org"],
  ["SHOP.example.org", "shop.example.org"],
  ["a.sites.test", "*.sites.test"],
  ["3--a.sites.test", "*.sites.test"],
  ["sites.test", "*.sites.test"],
  ["b.a.sites.test", "Vitrine"],
  ["unknown.example.org", "Vitrine"],
])("a client for %s gets the certificate of %s", async (servername, expected) => {
  expect(await presentedName(servername)).toBe(expected);
});

needing("openssl").test("a client without a server name gets the fallback", async () => {
  // OpenSSL 3.2 and later print no spaces.
  expect(await openssl("-noservername")).toMatch(/CN ?= ?Vitrine/);
});

test("of two certificates for a name the one that ends last is used", () => {
  const older = { ...shop, chain: "older", notAfter: shop.notAfter - 1 };
  for (const both of [
    [older, shop],
    [shop, older],
  ]) {
    const { options } = tlsSet(both, fallback);
    expect(options.map((entry) => entry.cert)).toEqual([fallback.chain, shop.chain]);
  }
});

test("a set covers its names and those of its wildcards, but not the fallback's", () => {
  const set = tlsSet([shop, wildcard], fallback);
  const hosts = ["shop.example.org", "a.sites.test", "sites.test", "b.a.sites.test", "example.org", "localhost"];
  expect(hosts.filter((host) => set.covers(host))).toEqual(["shop.example.org", "a.sites.test", "sites.test"]);
});

needing("openssl").describe("handshakes", () => {
  test.each([["-tls1"], ["-tls1_1"]])("%s is refused", async (version) => {
    expect(await openssl(version, "-cipher", "ALL:@SECLEVEL=0")).toContain("alert protocol version");
  });

  test.each([
    ["-tls1_2", "ECDHE-ECDSA-AES128-GCM-SHA256", true],
    ["-tls1_2", "ECDHE-ECDSA-CHACHA20-POLY1305", true],
    ["-tls1_2", "ECDHE-ECDSA-AES128-SHA", false],
    ["-tls1_2", "ECDHE-ECDSA-AES128-SHA256", false],
    ["-tls1_2", "AES128-GCM-SHA256", false],
  ])("%s with %s: %p", async (version, cipher, taken) => {
    const output = await openssl(version, "-cipher", `${cipher}:@SECLEVEL=0`);
    expect(output.includes(`Cipher is ${cipher}`)).toBe(taken);
  });

  test("TLS 1.3 and HTTP/2 are offered", async () => {
    const output = await openssl("-tls1_3", "-alpn", "h2,http/1.1");
    expect(output).toContain("Cipher is TLS_");
    expect(output).toContain("ALPN protocol: h2");
  });

  needing("sslscan").test(
    "sslscan finds only TLS 1.2 and 1.3, with forward secrecy and authenticated encryption",
    async () => {
      const scan = Bun.spawn(["sslscan", "--no-colour", `127.0.0.1:${listener.port}`], { stdout: "pipe" });
      const report = await new Response(scan.stdout).text();
      const versions = [...report.matchAll(/^(SSLv\d|TLSv1\.\d)\s+(enabled|disabled)$/gm)];
      expect(versions.filter(([, , state]) => state === "enabled").map(([, version]) => version)).toEqual([
        "TLSv1.2",
        "TLSv1.3",
      ]);
      const suites = [...report.matchAll(/^(?:Preferred|Accepted)\s+TLSv1\.\d\s+\d+ bits\s+(\S+)/gm)].map(
        ([, suite]) => suite,
      );
      expect(suites.length).toBeGreaterThanOrEqual(6);
      expect(suites.filter((suite) => !/^(TLS_(AES|CHACHA20)|ECDHE-.*(GCM|CHACHA20))/.test(suite ?? ""))).toEqual([]);
      expect(report).toContain("Session renegotiation not supported");
      expect(report).not.toMatch(/(?<!not )vulnerable to heartbleed/);
    },
  );

  test("renegotiation by the client is refused", async () => {
    const process = Bun.spawn(["openssl", "s_client", "-tls1_2", "-connect", `127.0.0.1:${listener.port}`], {
      stdin: new TextEncoder().encode("R\n"),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(process.stderr).text()).toMatch(/no renegotiation|unexpected|error/i);
  });
});

describe("rotation", () => {
  test("the next connection gets the new set, and a running request completes", async () => {
    const rotating = rotatingListener(options(), tlsSet([shop], fallback));
    const slow = await askSlowly(rotating.port);
    expect(await presentedName("a.sites.test", rotating.port)).toBe("Vitrine");
    await rotating.present(tlsSet([shop, wildcard], fallback));
    expect(await presentedName("a.sites.test", rotating.port)).toBe("*.sites.test");
    await rotating.present(tlsSet([wildcard], fallback));
    expect(await presentedName("shop.example.org", rotating.port)).toBe("Vitrine");
    released.resolve();
    expect(await (await slow.response).text()).toBe("slow");
    await rotating.stop();
  });

  test("a connection that waits in the old listener's queue is accepted", async () => {
    const rotating = rotatingListener(options(), tlsSet([shop], fallback));
    const client = new Worker(join(import.meta.dir, "testing/early-client.ts"));
    const outcome = new Promise((resolve) => client.addEventListener("message", ({ data }) => resolve(data)));
    const connected = new Int32Array(new SharedArrayBuffer(4));
    client.postMessage({ port: rotating.port, connected });
    // This thread accepts nothing meanwhile.
    expect(Atomics.wait(connected, 0, 0, 60_000)).not.toBe("timed-out");
    await rotating.present(tlsSet([wildcard], fallback));
    expect(await outcome).toBe("secure");
    client.terminate();
    await rotating.stop();
  });

  test("stopping waits for the requests of every generation", async () => {
    const rotating = rotatingListener(options(), tlsSet([shop], fallback));
    const slow = await askSlowly(rotating.port);
    rotating.present(tlsSet([wildcard], fallback));
    let stopped = false;
    const stop = rotating.stop().then(() => {
      stopped = true;
    });
    await presentedName("x", listener.port);
    expect(stopped).toBe(false);
    released.resolve();
    expect((await slow.response).status).toBe(200);
    await stop;
  });
});

test("a set that cannot be used changes nothing", async () => {
  const rotating = rotatingListener(options(), tlsSet([shop], fallback));
  const damaged = { ...shop, chain: shop.chain.slice(0, 100) };
  await expect(rotating.present(tlsSet([damaged], fallback))).rejects.toThrow();
  expect(await presentedName("shop.example.org", rotating.port)).toBe("shop.example.org");
  await rotating.stop();
});

test("a set that arrives after the stop opens no listener", async () => {
  const rotating = rotatingListener(options(), tlsSet([shop], fallback));
  await rotating.stop();
  await rotating.present(tlsSet([wildcard], fallback));
  await expect(presentedName("a.sites.test", rotating.port)).rejects.toThrow("ECONNREFUSED");
});

test("with a thousand certificates the last one works as well", async () => {
  const many = Array.from({ length: 1000 }, (_, n) => ({ ...shop, names: [`n${n}.example.org`] }));
  const rotating = rotatingListener(options(), tlsSet(many, fallback));
  expect(await presentedName("n999.example.org", rotating.port)).toBe("shop.example.org");
  expect(await presentedName("n1000.example.org", rotating.port)).toBe("Vitrine");
  await rotating.stop();
});
