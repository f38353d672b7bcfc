import { expect, test } from "bun:test";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";
import { packArchive, unpackArchive } from "./packed.ts";

const digest = (letter: string) => letter.repeat(64);

const archive: UnpackedArchive = {
  files: [
    { path: "\ufeffindex.html", digest: digest("a"), size: 0 },
    { path: "straße/\u{1f600}\u2028.html", digest: digest("b"), size: 2 ** 40 },
  ],
  reused: [digest("b")],
  redirectsText: "/a /b\0",
  headersText: null,
  leftOut: ["__MACOSX/"],
  strippedFolder: "dist",
};

test("an archive is the same at the other end", () => {
  expect(unpackArchive(packArchive(archive))).toEqual(archive);
});

test("a share without a file is one", () => {
  const empty = { ...archive, files: [], reused: [] };
  expect(unpackArchive(packArchive(empty))).toEqual(empty);
});

test("thousands of files are the same, in the same order, and no buffer holds them all", () => {
  const files = Array.from({ length: 2500 }, (_, size) => ({ path: `${size}.html`, digest: digest("c"), size }));
  const many = { ...archive, files, reused: files.map((file) => file.digest) };
  const packed = packArchive(many);
  expect([packed.files.length, packed.reused.length]).toEqual([3, 3]);
  expect(unpackArchive(packed)).toEqual(many);
});
