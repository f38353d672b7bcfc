import { beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { renewalId } from "./keys.ts";
import { createRoot, issueLeaf } from "./local-ca.ts";
import { readCertificate } from "./read.ts";

const NOW = Date.now();
const DAY = 86_400_000;

let folder: string;
let root: Awaited<ReturnType<typeof createRoot>>;

beforeAll(async () => {
  folder = temporaryFolder();
  root = await createRoot(NOW);
  writeFileSync(join(folder, "root.pem"), root.chain);
});

async function run(...command: string[]): Promise<{ ok: boolean; output: string }> {
  const process = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const output = (await new Response(process.stdout).text()) + (await new Response(process.stderr).text());
  return { ok: (await process.exited) === 0, output };
}

needing("openssl").describe("openssl", () => {
  test("accepts the root as a CA that may sign leaves only", async () => {
    const { output } = await run("openssl", "x509", "-in", join(folder, "root.pem"), "-noout", "-text");
    expect(output).toContain("CA:TRUE, pathlen:0");
    expect(output).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/);
  });

  test.each([["shop.example.org"], ["any.sites.example.org"]])("verifies a leaf for %s", async (hostname) => {
    const leaf = await issueLeaf(root, ["shop.example.org", "*.sites.example.org"], NOW);
    writeFileSync(join(folder, "leaf.pem"), leaf.chain);
    const chain = ["-x509_strict", "-CAfile", join(folder, "root.pem"), "-purpose", "sslserver"];
    expect(await run("openssl", "verify", ...chain, "-verify_hostname", hostname, join(folder, "leaf.pem"))).toEqual({
      ok: true,
      output: `${join(folder, "leaf.pem")}: OK\n`,
    });
    const stranger = await run("openssl", "verify", ...chain, "-verify_hostname", "b.org", join(folder, "leaf.pem"));
    expect(stranger.ok).toBe(false);
  });
});

needing("curl").test("curl trusts a server with the exported root, and only with it", async () => {
  const { chain, key } = await issueLeaf(root, ["shop.example.org"], NOW);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: chain, key },
    fetch: () => new Response("hi"),
  });
  const url = [`https://shop.example.org:${server.port}/`, "--resolve", `shop.example.org:${server.port}:127.0.0.1`];
  const trusting = await run("curl", "-sS", "--cacert", join(folder, "root.pem"), ...url);
  const doubting = await run("curl", "-sS", ...url);
  await server.stop(true);
  expect(trusting).toEqual({ ok: true, output: "hi" });
  expect(doubting.ok).toBe(false);
});

test("a leaf is valid for 90 days, and never longer than its root", async () => {
  const leaf = await issueLeaf(root, ["a.example.org"], NOW);
  const { notBefore, notAfter, names } = readCertificate(leaf.chain, leaf.key, "internal");
  expect((notAfter - notBefore) / DAY).toBe(90);
  expect(names).toEqual(["a.example.org"]);
  const late = await issueLeaf(root, ["a.example.org"], NOW + 3640 * DAY);
  expect(new X509Certificate(late.chain).validTo).toBe(new X509Certificate(root.chain).validTo);
});

describe("reading a certificate", () => {
  test("refuses an invalid certificate, an invalid key, or a key of another certificate, in one sentence", async () => {
    const [one, other] = await Promise.all([issueLeaf(root, ["a.org"], NOW), issueLeaf(root, ["a.org"], NOW)]);
    expect(() => readCertificate("nonsense", one.key, "manual")).toThrow("the certificate is not in PEM form");
    expect(() => readCertificate(one.chain, "nonsense", "manual")).toThrow(
      "the private key is not in PEM form, or is encrypted",
    );
    expect(() => readCertificate(one.chain, other.key, "manual")).toThrow(
      "the private key belongs to another certificate",
    );
  });

  test("accepts a file that also contains the key in any order, and refuses damaged parts", async () => {
    const { chain, key } = await issueLeaf(root, ["a.org"], NOW);
    const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    for (const file of [`${key}\n${chain}`, `${parameters}${key}\n${chain}`, `${chain}\n${key}`]) {
      expect(readCertificate(file, file, "manual").names).toEqual(["a.org"]);
      const damaged = `${file}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
      expect(() => readCertificate(damaged, key, "manual")).toThrow("the certificate number 3 of the chain is damaged");
    }
  });

  test("computes the renewal identifier of RFC 9773's own example", () => {
    // Appendix A: key identifier 69:88:5B:6B:87:46:40:41:E1:B3:7B:84:7B:A0:AE:2C:DE:01:C8:D4, serial 00:87:65:43:21.
    expect(renewalId(RFC_9773_EXAMPLE)).toBe("aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE");
  });
});

const RFC_9773_EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;
