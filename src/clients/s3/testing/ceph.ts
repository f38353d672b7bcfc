import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseS3Address, type S3Destination } from "../../../domain/backups/destination.ts";
import { freePort } from "../../../testing/free-port.ts";
import { s3Sender } from "../send.ts";

/** A real S3 server, Ceph's, on loopback. */
export interface Ceph {
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Creates a bucket. Returns an address in it. */
  newBucket(prefix?: string): Promise<S3Destination>;
  /** Ends the server at once, as a crash would. */
  stop(): void;
}

const KEYS = { accessKeyId: "test", secretAccessKey: "testsecret" };

/** Starts the server. That takes about 20 seconds, mostly waiting, so start it before the tests that run first. */
export async function startCeph(): Promise<Ceph> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-ceph-"));
  const port = freePort();
  const script = join(import.meta.dir, "start-ceph.sh");
  const end = () => {
    const pids = join(folder, "pids");
    for (const pid of existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n") : []) endProcess(Number(pid));
    rmSync(folder, { recursive: true, force: true });
  };
  const starting = Bun.spawn(["bash", script, folder, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  if ((await starting.exited) !== 0) {
    const reason = await new Response(starting.stderr).text();
    end();
    throw new Error(`Ceph did not start: ${reason}`);
  }
  let buckets = 0;
  return {
    keys: KEYS,
    async newBucket(prefix = "pre/fix") {
      const address = `s3://bucket-${++buckets}/${prefix}?endpoint=http://127.0.0.1:${port}`;
      const destination = parseS3Address(address) as S3Destination;
      await s3Sender(destination, KEYS)({ method: "PUT", key: "" });
      return destination;
    },
    stop: end,
  };
}

function endProcess(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, "SIGKILL");
  } catch {}
}
