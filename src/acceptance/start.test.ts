import { expect, test } from "bun:test";
import { join } from "node:path";
import { StartFailure } from "../domain/start-failure.ts";
import { needing } from "../testing/needing.ts";
import { run, scratchFolder } from "./testing/executable.ts";
import { startTestServer } from "./testing/test-server.ts";

const refusal = (flags: Record<string, string>) =>
  startTestServer(flags).then(
    () => null,
    (error: unknown) => error,
  );

test("a second server on the same data folder refuses to start, and the first continues", async () => {
  await using first = await startTestServer();
  const error = await refusal({ "data-dir": first.config.dataDir });
  expect(error).toBeInstanceOf(StartFailure);
  expect((error as Error).message).toContain(`another vitrine serves the data folder ${first.config.dataDir}`);
  expect((await first.call("GET", "/health")).status).toBe(200);
});

test("a port that is in use is named, also if another vitrine uses it", async () => {
  await using first = await startTestServer();
  const error = await refusal({ listen: `127.0.0.1:${first.config.listen.port}` });
  expect((error as Error).message).toBe(
    `cannot listen on 127.0.0.1:${first.config.listen.port}: another program uses this address: stop it, or give another with --listen`,
  );
});

needing("openssl").test("a failed start ends the threads and the process", async () => {
  using folder = scratchFolder();
  const file = (name: string) => join(folder.path, name);
  // Valid, but with a curve that BoringSSL does not serve.
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp224r1", "-nodes", "-subj", "/CN=pages.test"];
  await Bun.$`openssl req -x509 ${curve} -keyout ${file("key.pem")} -out ${file("cert.pem")}`.quiet();
  const files = ["--tls-cert", file("cert.pem"), "--tls-key", file("key.pem")];
  const args = ["--tls", "manual", ...files, "--listen", "127.0.0.1:0", "--data-dir", file("data")];
  const { status, stderr } = await run(["serve", ...args]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("UNSUPPORTED_ALGORITHM")]);
});

test("a data folder can be served again as soon as the previous server has stopped", async () => {
  const first = await startTestServer();
  await first.stop();
  await using second = await startTestServer({ "data-dir": first.config.dataDir });
  expect((await second.call("GET", "/health")).status).toBe(200);
});
