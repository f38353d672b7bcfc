import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseS3Url, type S3Destination } from "../../../domain/backups/destination.ts";
import { freePort } from "../../../testing/free-port.ts";
import { s3Sender } from "../send.ts";

/** A real S3 server, Ceph's, on this machine. */
export interface Ceph {
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Creates a bucket. Returns a URL in it. */
  newBucket(prefix?: string): Promise<S3Destination>;
  /** Ends the server at once, as a crash would. */
  stop(): void;
  /** Its processes. */
  readonly pids: readonly number[];
}

const KEYS = { accessKeyId: "test", secretAccessKey: "testsecret" };

/** Starts the server. That takes about 20 seconds, mostly waiting, so start it before the tests that run first. */
export async function startCeph(hostname = "127.0.0.1"): Promise<Ceph> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-ceph-"));
  const port = freePort();
  const script = join(import.meta.dir, "start-ceph.sh");
  const readPids = () => {
    const pids = join(folder, "pids");
    return existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : [];
  };
  const end = () => {
    readPids().forEach(endProcess);
    rmSync(folder, { recursive: true, force: true });
  };
  const starting = Bun.spawn(["bash", script, folder, String(port), hostname], { stdio: ["ignore", "ignore", "pipe"] });
  if ((await starting.exited) !== 0) {
    const reason = await new Response(starting.stderr).text();
    end();
    throw new Error(`Ceph did not start: ${reason}`);
  }
  let buckets = 0;
  return {
    keys: KEYS,
    async newBucket(prefix = "pre/fix") {
      const url = `s3://bucket-${++buckets}/${prefix}?endpoint=http://${hostname}:${port}`;
      const destination = parseS3Url(url) as S3Destination;
      await s3Sender(destination, KEYS)({ method: "PUT", key: "" });
      return destination;
    },
    stop: end,
    pids: readPids(),
  };
}

function endProcess(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, "SIGKILL");
  } catch {}
}
