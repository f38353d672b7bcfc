import { describe, expect, test } from "bun:test";
import { EncodingTable, FileTable } from "./file-table.ts";

const digestOf = (text: string) => new Bun.SHA256().update(text).digest("hex");
const fileOf = (path: string, size = path.length) => ({ path, digest: digestOf(path), size });

const PATHS = [
  "index.html",
  "a",
  "a.html",
  "a/index.html",
  "ab",
  "b",
  "__proto__",
  "constructor",
  "straße/\u{1f600}.html",
  "\ufeffindex.html",
  "\uffff",
  "z".repeat(1024),
];

describe("a table of files", () => {
  const table = new FileTable(PATHS.map((path) => fileOf(path)));

  test.each(PATHS)("has %s as it was put in", (path) => {
    expect(table.has(path)).toBe(true);
    expect(table.get(path)).toEqual(fileOf(path));
  });

  test.each(["", "A", "a.", "a.htm", "a.html/", "aa", "b/", "toString", "straße/", "\ufffe", "zz", "z".repeat(1025)])(
    "has no %p",
    (path) => {
      expect(table.has(path)).toBe(false);
      expect(table.get(path)).toBeUndefined();
    },
  );

  test("keeps sizes beyond four gigabytes", () => {
    expect(new FileTable([fileOf("big", 2 ** 40)]).get("big")?.size).toBe(2 ** 40);
  });

  test("may be empty", () => {
    expect(new FileTable([]).get("index.html")).toBeUndefined();
  });

  test("finds each of thousands, whatever order they came in, in less than a hundred bytes each", () => {
    const files = Array.from({ length: 5000 }, (_, n) => fileOf(`${(n * 7919) % 5000}/page.html`));
    const many = new FileTable(files);
    expect(files.filter((file) => !Bun.deepEquals(many.get(file.path), file))).toEqual([]);
    expect(many.bytes / many.size).toBeLessThan(100);
  });
});

describe("a table of encodings", () => {
  const files = new FileTable(["a", "b", "c"].map((path) => fileOf(path)));
  const sizes = new Map([
    [digestOf("a"), { zstd: 3, br: 2, gzip: 4 }],
    [digestOf("c"), { gzip: 2 ** 33 }],
    [digestOf("elsewhere"), { br: 1 }],
  ]);
  const table = new EncodingTable(files, sizes);

  test.each([
    ["a", { zstd: 3, br: 2, gzip: 4 }],
    ["b", null],
    ["c", { gzip: 2 ** 33 }],
  ])("of %s has %p", (path, expected) => {
    expect(table.of(fileOf(path))).toEqual(expected);
  });

  test("knows nothing of another deployment's files, under the same path or another one", () => {
    expect(table.of({ ...fileOf("a"), digest: digestOf("elsewhere") })).toBeNull();
    expect(table.of(fileOf("elsewhere"))).toBeNull();
  });

  test("takes no memory where nothing is encoded", () => {
    const none = new EncodingTable(files, new Map());
    expect([none.bytes, none.of(fileOf("a"))]).toEqual([0, null]);
  });
});
