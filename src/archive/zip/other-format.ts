import type { ArchiveFile } from "./archive-file.ts";

/** The formats of archives that people upload instead of a ZIP, by the bytes at their start, or at an offset. */
const FORMATS: readonly (readonly [what: string, signature: string, offset?: number])[] = [
  ["a gzip file, such as a .tar.gz", "\x1f\x8b"],
  ["a Zstandard file, such as a .tar.zst", "\x28\xb5\x2f\xfd"],
  ["an xz file, such as a .tar.xz", "\xfd7zXZ\0"],
  ["a bzip2 file, such as a .tar.bz2", "BZh"],
  ["a tar archive", "ustar", 257],
  ["a 7z archive", "7z\xbc\xaf\x27\x1c"],
  ["a RAR archive", "Rar!\x1a\x07"],
];

/** Says what a file without a ZIP's end record is, if it is another format that may hold a site; null otherwise. */
export function describeOtherFormat(file: ArchiveFile): string | null {
  const found = FORMATS.find(([, signature, offset = 0]) => {
    if (file.size < offset + signature.length) return false;
    return file.view(offset, signature.length).toString("latin1") === signature;
  });
  return found?.[0] ?? null;
}
