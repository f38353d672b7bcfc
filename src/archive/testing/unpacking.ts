import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UnpackedArchive, UploadLimits } from "../../domain/ports/archive.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { placesIn } from "../../storage/content/filesystem/places.ts";
import { unpackZip } from "../zip/unpack.ts";

export const LIMITS: UploadLimits = {
  archiveBytes: 512 * 1024 * 1024,
  siteBytes: 2 * 1024 * 1024 * 1024,
  fileBytes: 256 * 1024 * 1024,
  files: 50_000,
};

/** A text by its name, in tests. */
export const isText = (path: string): boolean => /\.(?:html|txt)$/.test(path);

/** A content store in a temporary folder; archives are unpacked into it on this thread. */
export function openWorkbench() {
  const home = mkdtempSync(join(tmpdir(), "vitrine-archive-"));
  mkdirSync(join(home, "data"));
  const openContent = () => openFilesystemContent(join(home, "data", "content"));
  const content = openContent();
  const contentPath = placesIn(join(home, "data", "content")).path;
  let archives = 0;
  return {
    home,
    content,
    contentPath,

    save(bytes: Uint8Array): string {
      const file = join(home, `${archives++}.zip`);
      writeFileSync(file, bytes);
      return file;
    },

    async unpack(bytes: Uint8Array, limits: Partial<UploadLimits> = {}, knows = (_: string) => false) {
      const file = this.save(bytes);
      const known = async (digests: readonly string[]) => new Set(digests.filter(knows));
      try {
        return await unpackZip({ openContent, isText, known }, { archive: file, limits: { ...LIMITS, ...limits } });
      } finally {
        rmSync(file);
      }
    },

    /** Returns the content of an unpacked site by path. */
    contents(archive: UnpackedArchive): Record<string, Buffer> {
      return Object.fromEntries(archive.files.map(({ path, digest }) => [path, readFileSync(contentPath(digest))]));
    },

    close() {
      rmSync(home, { recursive: true });
    },
  };
}

/** Returns the text of an unpacked site by path. */
export function texts(contents: Record<string, Buffer>): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).map(([path, bytes]) => [path, bytes.toString()]));
}
