// Measures what rotating certificates costs visitors, and how 1,000 certificates affect the start:
//   node scripts/with-bun.mjs scripts/bench/certificates.ts
// Two threads share a port and rotate their certificates 40 times while 24 visitors open a new connection for every
// request. A request without a response is a failure. Run it as root to measure both values of
// net.ipv4.tcp_migrate_req.
import { readFileSync, writeFileSync } from "node:fs";
import { createRoot, issueLeaf } from "../../src/clients/x509/local-ca.ts";
import { readCertificate } from "../../src/clients/x509/read.ts";
import type { Certificate } from "../../src/domain/model/certificate.ts";
import { type RotatingListener, rotatingListener } from "../../src/serving/tls/rotating-listener.ts";
import { tlsSet } from "../../src/serving/tls/tls.ts";
import { freePort } from "../../src/testing/free-port.ts";

const THREADS = 2;
const ROTATIONS = 40;
const VISITORS = 24;
const CERTIFICATES = 1000;
const MIGRATE = "/proc/sys/net/ipv4/tcp_migrate_req";

type Command = { readonly port: number; readonly certificates: Certificate[] } | "present" | "stop";

if (process.argv[2] === "visit") await visit(process.argv[3] as string);
else if (Bun.isMainThread) await measure();
else serve(globalThis as unknown as Worker);

async function measure(): Promise<void> {
  const certificates = await makeCertificates();
  const listening = performance.now();
  const trial = rotatingListener(options(0), tlsSet(certificates, certificates[0] as Certificate));
  console.log(`listening with ${CERTIFICATES} certificates: ${(performance.now() - listening).toFixed(0)} ms`);
  await trial.stop();

  const before = readFileSync(MIGRATE, "utf8");
  for (const setting of ["1", "0"]) {
    try {
      writeFileSync(MIGRATE, setting);
    } catch {
      console.log(`tcp_migrate_req=${setting}: this user may not set it`);
      continue;
    }
    const { answered, failed } = await rotate(certificates.slice(0, 200));
    console.log(
      `tcp_migrate_req=${setting}: ${failed} of ${answered + failed} requests failed over ${ROTATIONS} rotations`,
    );
  }
  writeFileSync(MIGRATE, before);
}

async function rotate(certificates: Certificate[]): Promise<{ answered: number; failed: number }> {
  const port = freePort();
  const threads = Array.from({ length: THREADS }, () => new Worker(import.meta.path));
  await Promise.all(threads.map((thread) => sendCommand(thread, { port, certificates })));
  const visitors = Bun.spawn([process.execPath, import.meta.path, "visit", String(port)], { stdout: "pipe" });
  await Bun.sleep(500);
  for (let rotation = 0; rotation < ROTATIONS; rotation++) {
    await Promise.all(threads.map((thread) => sendCommand(thread, "present")));
    await Bun.sleep(100);
  }
  visitors.kill("SIGTERM");
  const result = JSON.parse(await new Response(visitors.stdout).text()) as { answered: number; failed: number };
  await Promise.all(threads.map((thread) => sendCommand(thread, "stop")));
  for (const thread of threads) thread.terminate();
  return result;
}

function sendCommand(thread: Worker, command: Command): Promise<void> {
  return new Promise((done) => {
    thread.addEventListener("message", () => done(), { once: true });
    thread.postMessage(command);
  });
}

/** A serving thread. It listens, rotates its certificates and stops on command. */
function serve(self: Worker): void {
  let listener: RotatingListener | null = null;
  let certificates: Certificate[] = [];
  self.addEventListener("message", async ({ data }: MessageEvent<Command>) => {
    if (data === "present") await listener?.present(tlsSet(certificates, certificates[0] as Certificate));
    else if (data === "stop") await listener?.stop();
    else {
      ({ certificates } = data);
      listener = rotatingListener(options(data.port), tlsSet(certificates, certificates[0] as Certificate));
    }
    self.postMessage("done");
  });
}

/** The visitors, in their own process. Each opens a connection for every request, until SIGTERM. */
async function visit(port: string): Promise<void> {
  let stopped = false;
  const count = { answered: 0, failed: 0 };
  process.on("SIGTERM", () => {
    stopped = true;
  });
  const tls = { rejectUnauthorized: false };
  const one = async () => {
    while (!stopped) {
      const text = await fetch(`https://127.0.0.1:${port}/`, { keepalive: false, tls }).then(
        (response) => response.text(),
        () => null,
      );
      if (text === "hello") count.answered++;
      else count.failed++;
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, one));
  console.log(JSON.stringify(count));
}

function options(port: number) {
  return {
    host: "127.0.0.1",
    port,
    idleTimeout: 10_000,
    respondToFailure: () => new Response(null, { status: 500 }),
    fetch: () => new Response("hello"),
  };
}

async function makeCertificates(): Promise<Certificate[]> {
  const root = await createRoot(Date.now());
  const names = Array.from({ length: CERTIFICATES }, (_, n) => `n${n}.example.org`);
  return Promise.all(
    names.map(async (name) => {
      const { chain, key } = await issueLeaf(root, [name], Date.now());
      return readCertificate(chain, key, "internal");
    }),
  );
}
