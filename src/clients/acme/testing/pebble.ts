import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../testing/free-port.ts";
import { localhostCertificate } from "../../x509/testing/localhost-certificate.ts";

interface PebbleOptions {
  /** The port at which HTTP-01 is validated. */
  readonly httpPort: number;
  /** `ip:port` of the name server that pebble uses. */
  readonly nameserver: string;
  /** The percentage of refused nonces. */
  readonly nonceRejections?: number;
  /** Required external account bindings: base64url HMAC keys by key identifier. */
  readonly eab?: Readonly<Record<string, string>>;
}

export interface Pebble {
  readonly directory: string;
  /** PEM file of the root of pebble's server certificate. */
  readonly caFile: string;
  /** The root of the issued certificates. */
  root(): Promise<string>;
  /** Restarts the process at the same address, without its state. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Let's Encrypt's test server: a real RFC 8555 CA that validates every challenge. */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-pebble-"));
  const [port, managementPort] = [freePort(), freePort()];
  const { cert, key, rootFile } = await localhostCertificate(folder);
  writeFileSync(join(folder, "server.pem"), cert);
  writeFileSync(join(folder, "server.key"), key);
  const ca = readFileSync(rootFile, "utf8");
  writeFileSync(join(folder, "pebble.json"), JSON.stringify(configuration(options, port, managementPort, folder)));
  const directory = `https://localhost:${port}/dir`;
  let process = await launch(folder, options, directory, ca);

  return {
    directory,
    caFile: rootFile,
    async root() {
      return (await fetch(`https://localhost:${managementPort}/roots/0`, { tls: { ca } })).text();
    },
    async restart() {
      process.kill("SIGKILL");
      await process.exited;
      process = await launch(folder, options, directory, ca);
    },
    async stop() {
      process.kill("SIGKILL");
      await process.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

// --- internal ---

function configuration({ httpPort, eab }: PebbleOptions, port: number, managementPort: number, folder: string) {
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: join(folder, "server.pem"),
      privateKey: join(folder, "server.key"),
      httpPort,
      tlsPort: 1,
      externalAccountBindingRequired: eab !== undefined,
      externalAccountMACKeys: eab ?? {},
    },
  };
}

async function launch(folder: string, options: PebbleOptions, directory: string, ca: string) {
  const command = ["pebble", "-config", join(folder, "pebble.json"), "-dnsserver", options.nameserver, "-strict=true"];
  const process = Bun.spawn(command, {
    stdout: "ignore",
    stderr: "ignore",
    env: {
      ...Bun.env,
      PEBBLE_VA_ALWAYS_VALID: "0",
      PEBBLE_VA_NOSLEEP: "1",
      // Disables the reuse of authorizations.
      PEBBLE_AUTHZREUSE: "0",
      PEBBLE_WFE_NONCEREJECT: String(options.nonceRejections ?? 5),
    },
  });
  for (let tries = 0; tries < 1000; tries++) {
    const response = await fetch(directory, { tls: { ca } }).catch(() => null);
    if (response?.ok) return process;
    if (process.exitCode !== null) break;
    await Bun.sleep(50);
  }
  process.kill("SIGKILL");
  throw new Error("pebble did not start: is the Debian package pebble installed?");
}
