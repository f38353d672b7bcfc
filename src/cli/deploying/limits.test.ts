import { expect, test } from "bun:test";
import { excessOf } from "./limits.ts";
import type { Source } from "./source.ts";

const MIB = 1024 * 1024;
const LIMITS = { archive_bytes: 512 * MIB, site_bytes: 2048 * MIB, file_bytes: 256 * MIB, files: 3 };

const folder = (...files: [path: string, size: number][]): Source => ({
  kind: "files",
  files: files.map(([path, size]) => ({ path, file: path, size })),
  notes: [],
});

test.each<[string, Source, string | null]>([
  ["what fits", folder(["index.html", 1], ["a.css", 256 * MIB]), null],
  [
    "a large file",
    folder(["index.html", 1], ["video.mp4", 300 * MIB]),
    "video.mp4 has 300 MiB, over the server's limit of 256 MiB for a file (max-file-bytes).",
  ],
  [
    "a file that is a byte too large",
    folder(["video.mp4", 256 * MIB + 1]),
    "video.mp4 has 268,435,457 bytes, over the server's limit of 256 MiB for a file (max-file-bytes).",
  ],
  [
    "many files",
    folder(["a", 1], ["b", 1], ["c", 1], ["d", 1]),
    "There are 4 files, over the server's limit of 3 (max-files).",
  ],
  [
    "images that no packing makes smaller",
    folder(["a.jpg", 256 * MIB], ["b.JPG", 256 * MIB], ["c.jpg", 8 * MIB]),
    "The archive has 520 MiB, over the server's limit of 512 MiB for an archive (max-archive-bytes).",
  ],
  ["as much text, which packing makes smaller", folder(["a.txt", 256 * MIB], ["b", 256 * MIB], ["c", 8 * MIB]), null],
  [
    "an archive",
    { kind: "archive", file: "site.zip", size: 600 * MIB },
    "site.zip has 600 MiB, over the server's limit of 512 MiB for an archive (max-archive-bytes).",
  ],
])("%s", (_what, source, excess) => {
  expect(excessOf(LIMITS, source)).toBe(excess);
});

test("the limit of a site is checked before that of an archive", () => {
  const files = Array.from({ length: 3 }, (_, index): [string, number] => [`${index}.bin`, 250 * MIB]);
  expect(excessOf({ ...LIMITS, site_bytes: 700 * MIB }, folder(...files))).toBe(
    "The site has 750 MiB, over the server's limit of 700 MiB for a deployment (max-site-bytes).",
  );
});
