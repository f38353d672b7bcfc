// The entry of a publishing thread in tests: it returns the unpacked archive, and certain archive names make it fail in
// different ways.
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { publishingMethods } from "../../workers/publish/methods.ts";
import { handleCalls } from "../../workers/rpc.ts";
import { isText } from "./unpacking.ts";

const unpacking = {
  openContent: () => openFilesystemContent(workerData as string),
  isText,
  known: async () => new Set<string>(),
};

const methods = publishingMethods<string, UnpackedArchive>(unpacking, async (permit, unpacked) => {
  if (permit === "disk full") throw new DomainError("disk_full", "the disk is full");
  return unpacked;
});

handleCalls(parentPort!, {
  ...methods,
  async unpack(job) {
    await misbehave(basename(job.archive));
    return methods.unpack(job);
  },
} satisfies typeof methods);

/** Fails as the archive's name says, and never resolves. */
async function misbehave(archive: string): Promise<void> {
  const fail = FAILURES[archive];
  if (!fail) return;
  fail();
  await new Promise(() => {});
}

const FAILURES: Readonly<Record<string, () => void>> = {
  "throws.zip": () =>
    setTimeout(() => {
      throw new Error("nobody catches this");
    }),
  "rejects.zip": () => void Promise.reject(new Error("nobody handles this")),
  "emits.zip": () => setTimeout(() => process.stdin.emit("error", new Error("nobody listens to this"))),
  "exits.zip": () => process.exit(1),
  "waits.zip": () => {},
};
