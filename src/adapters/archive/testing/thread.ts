// The entry of an unpacking thread in tests: archives with certain names make it die in the ways a thread can.
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { openFilesystemBlobs } from "../../blobs/filesystem.ts";
import { answerCalls } from "../calls.ts";
import { type Share, unpackZip } from "../zip/unpack.ts";
import { LIMITS } from "./unpacking.ts";

const openBlobs = () => openFilesystemBlobs(workerData as string);

answerCalls<{ archive: string; share: Share }, unknown>(parentPort!, async ({ archive, share }) => {
  switch (basename(archive)) {
    case "throws.zip":
      setTimeout(() => {
        throw new Error("nobody catches this");
      });
      return new Promise(() => {});
    case "rejects.zip":
      Promise.reject(new Error("nobody hears this"));
      return new Promise(() => {});
    case "emits.zip":
      setTimeout(() => process.stdin.emit("error", new Error("nobody listens to this")));
      return new Promise(() => {});
    case "exits.zip":
      return process.exit(1);
    case "waits.zip":
      return new Promise(() => {});
    case "share.zip":
      return { files: [{ path: String(share.index), digest: "", size: share.of }], reused: [] };
    default:
      return unpackZip({ openBlobs, knows: () => false }, archive, LIMITS, share);
  }
});
