import { mergeShares, type UnpackingPorts, unpackZip } from "../../archive/zip/unpack.ts";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";
import type { PublishingMethods } from "./publisher.ts";

/** Returns the methods of a publishing thread. `publish` publishes an archive whose shares have been put together. */
export function publishingMethods<Permit, Result>(
  ports: UnpackingPorts,
  publish: (permit: Permit, unpacked: UnpackedArchive) => Promise<Result>,
): PublishingMethods<Permit, Result> {
  /** The content of the current upload, and its first share if this thread has it. */
  let content: ReturnType<UnpackingPorts["openContent"]> | null = null;
  let kept: UnpackedArchive | null = null;
  const openContent = () => {
    content = ports.openContent();
    return content;
  };
  return {
    async unpack(job) {
      const unpacked = await unpackZip({ ...ports, openContent }, job);
      kept = job.share.index === 0 ? unpacked : null;
      return kept === null ? unpacked : null;
    },

    async publish({ permit, others }) {
      if (kept === null) throw new Error("nothing is unpacked");
      const unpacked = mergeShares([kept, ...others]);
      [content, kept] = [null, null];
      return publish(permit, unpacked);
    },

    async undo() {
      await content?.undo();
      [content, kept] = [null, null];
    },
  };
}
