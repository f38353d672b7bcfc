import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DomainError } from "../../domain/errors.ts";
import { type CraftedEntry, craftZip } from "../testing/craft.ts";
import { hostileArchives } from "../testing/hostile.ts";
import { openWorkbench } from "../testing/unpacking.ts";

const bench = openWorkbench();
afterAll(() => bench.close());

async function refusal(bytes: Uint8Array, limits = {}): Promise<DomainError> {
  const error = await bench.unpack(bytes, limits).then(
    () => new Error("the archive was accepted"),
    (reason) => reason,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
}

describe("an archive is refused", () => {
  test.each(hostileArchives().map(({ what, detail, bytes }) => [what, detail, bytes] as const))(
    "%s",
    async (_, detail, bytes) => {
      const error = await refusal(bytes());
      expect(error.kind).toBe("invalid");
      expect(error.detail).toStartWith("archive is invalid: ");
      expect(error.detail).toContain(detail);
      expect(error.detail.length).toBeLessThan(500);
      expect(error.detail).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    },
  );

  test("and nothing remains in staging", () => {
    expect(readdirSync(join(bench.home, "data", "content", "staging"))).toEqual([]);
  });
});

describe("a limit is exceeded", () => {
  const entries: CraftedEntry[] = [
    { name: "a", content: "12345" },
    { name: "b", content: "12345" },
  ];
  // Only the declared size is large, so the archive must be refused before anything is inflated.
  const declared = { size: 4_000_000_000 };
  test.each<[string, readonly CraftedEntry[], object, string]>([
    ["by the archive", entries, { archiveBytes: 100 }, "an archive may have 100 bytes"],
    ["by one file", entries, { fileBytes: 4 }, 'a file may have 4 bytes: entry "a" has 5 bytes'],
    [
      "by one byte",
      [{ name: "a", content: "x".repeat(2049) }],
      { fileBytes: 2048 },
      'a file may have 2048 bytes: entry "a" has 2049 bytes',
    ],
    ["by all files", entries, { siteBytes: 9 }, "may have 9 bytes"],
    ["by their number", entries, { files: 1 }, "a deployment may have 1 files"],
    ["by the declared sizes of a ZIP bomb", [{ central: declared, local: declared }], {}, "a file may have 256 MiB"],
    [
      "by folders without end",
      Array.from({ length: 1003 }, (_, index) => ({ name: `${index}/`, content: "", method: 0 })),
      { files: 1 },
      "1002 entries",
    ],
  ])("%s", async (_, crafted, limits, detail) => {
    const error = await refusal(craftZip(crafted), limits);
    expect(error.kind).toBe("limit_exceeded");
    expect(error.detail).toStartWith("a deployment limit was exceeded: ");
    expect(error.detail).toContain(detail);
  });

  test("by a list of entries that would take too much memory", async () => {
    const entries = Array.from({ length: 17_000 }, (_, index) => ({
      name: `${"d".repeat(200)}/`.repeat(5) + index,
      method: 0,
    }));
    expect((await refusal(craftZip(entries))).detail).toContain("list of entries may have 16 MiB");
  });

  test("but not by a list of entries of exactly 16 MiB, or by as many folders as may be", async () => {
    const folder = { content: "", method: 0 };
    // Each takes 46 bytes and its name.
    const name = (index: number) => `${String(index).padStart(5, "0")}/${`${"d".repeat(242)}/`.repeat(4)}`;
    const full = craftZip(Array.from({ length: 16 * 1024 }, (_, index) => ({ name: name(index), ...folder })));
    expect((await refusal(full)).detail).toContain("it holds no file");
    const folders = Array.from({ length: 1002 }, (_, index) => ({ name: `${index}/`, ...folder }));
    expect((await refusal(craftZip(folders), { files: 1 })).detail).toContain("it holds no file");
  });

  test.each([
    ["the archive", { archiveBytes: craftZip(entries).length }],
    ["one file", { fileBytes: 5 }],
    ["all files", { siteBytes: 10 }],
    ["their number", { files: 2 }],
  ])("but not reached exactly: %s", async (_, limits) => {
    expect((await bench.unpack(craftZip(entries), limits)).files).toHaveLength(2);
  });

  test("but not by omitted files", async () => {
    const more = [...entries, { name: ".git/objects/big", content: "0123456789" }];
    expect((await bench.unpack(craftZip(more), { files: 2, fileBytes: 5, siteBytes: 10 })).files).toHaveLength(2);
  });
});
