// The entry of a publishing thread in tests: it publishes by saying what it unpacked, and archives with certain names make it die in the ways a thread can.
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import { openFilesystemBlobs } from "../../storage/content/filesystem/filesystem.ts";
import { packArchive } from "../../workers/publish/packed.ts";
import { publishOnThisThread } from "../../workers/publish/publisher.ts";
import type { Share } from "../zip/unpack.ts";

interface Call {
  readonly call: number;
  readonly argument: { readonly archive: string; readonly share: Share } | { readonly permit: unknown } | "undo";
}

const main = parentPort!;
publishOnThisThread(
  {
    postMessage: (message, transfer) => main.postMessage(message, transfer),
    on: (event, listener) => main.on(event, (message) => misbehave(message) || listener(message)),
  },
  {
    openBlobs: () => openFilesystemBlobs(workerData as string),
    knows: () => false,
    async publish(permit: string, unpacked) {
      if (permit === "disk full") throw new DomainError("disk_full", "the disk is full");
      return unpacked;
    },
  },
);

/** Returns whether the archive's name asked for something else than unpacking. */
function misbehave({ call, argument }: Call): boolean {
  if (argument === "undo" || "permit" in argument) return false;
  switch (basename(argument.archive)) {
    case "throws.zip":
      setTimeout(() => {
        throw new Error("nobody catches this");
      });
      return true;
    case "rejects.zip":
      Promise.reject(new Error("nobody hears this"));
      return true;
    case "emits.zip":
      setTimeout(() => process.stdin.emit("error", new Error("nobody listens to this")));
      return true;
    case "exits.zip":
      process.exit(1);
      return true;
    case "waits.zip":
      return true;
    case "share.zip": {
      const { index, of } = argument.share;
      const files = [{ path: `${index}`, digest: "0".repeat(64), size: of }];
      const rest = { redirectsText: null, headersText: null, leftOut: [], strippedFolder: null };
      main.postMessage({ answer: call, value: packArchive({ files, reused: [], ...rest }) });
      return true;
    }
    default:
      return false;
  }
}
