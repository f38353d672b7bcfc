import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localhostCertificate } from "../x509/testing/localhost-certificate.ts";
import { startIssuer, type TestIssuer } from "./testing/issuer.ts";

let folder: string;
let roots: string;
let issuer: TestIssuer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-issuer-"));
  const { rootFile, cert, key } = await localhostCertificate(folder);
  roots = rootFile;
  issuer = await startIssuer(Date.now, { cert, key });
});
afterAll(async () => {
  await issuer.stop();
  await rm(folder, { recursive: true });
});

/** A process with its own trusted roots, which are read at its start. */
function checker(env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "testing/check-tokens.ts"), issuer.url], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "pipe",
    stdout: "pipe",
  });
  const responses = lines(child.stdout);
  return {
    async check(token: string): Promise<readonly string[]> {
      child.stdin.write(`${token}\n`);
      child.stdin.flush();
      return JSON.parse((await responses.next()).value ?? "null");
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

test("an issuer with a private CA is accepted if its root is trusted, also after a key rotation", async () => {
  await using trusting = checker({ NODE_EXTRA_CA_CERTS: roots });
  const old = await issuer.sign({});
  expect(await trusting.check(old)).toEqual(["signed"]);
  await issuer.rotate();
  const overtaken = await issuer.sign({});
  const held = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  issuer.respond = async (request) => {
    if (!request.url.endsWith("/keys")) return Response.json({ jwks_uri: `${issuer.url}/keys` });
    requested.resolve();
    await held.promise;
    return Response.json({ keys: [issuer.key().jwk] });
  };
  const exchange = trusting.check(overtaken);
  await requested.promise;
  await issuer.rotate();
  held.resolve();
  expect((await exchange)[0], "a key that was withdrawn while the exchange ran").toBe("refused");
  issuer.respond = null;
  expect(await trusting.check(await issuer.sign({}))).toEqual(["signed"]);
  expect((await trusting.check(old))[0]).toBe("refused");
});

test("otherwise the exchange asks to retry and says why", async () => {
  await using other = checker({});
  expect(await other.check(await issuer.sign({}))).toEqual([
    "unavailable",
    `the ID token cannot be checked: ${issuer.url} has a certificate that is not trusted (SELF_SIGNED_CERT_IN_CHAIN)`,
  ]);
});
