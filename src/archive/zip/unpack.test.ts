import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { ascii, type CraftedEntry, craftZip, extra, u16, u32, u64 } from "../testing/craft.ts";
import { isText, LIMITS, openWorkbench, texts } from "../testing/unpacking.ts";
import { unpackZip } from "./unpack.ts";

const bench = openWorkbench();
afterAll(() => bench.close());

async function unpacked(entries: readonly CraftedEntry[], end = {}) {
  return texts(bench.contents(await bench.unpack(craftZip(entries, end))));
}

const site = { "index.html": "hello" };
const page: CraftedEntry = {};
const symlink = Buffer.concat([u32(0), u16(0o120777)]);
const unicodePath = (version: number, name: string) =>
  extra(0x7075, Buffer.concat([new Uint8Array([version]), u32(crc32("index.html")), ascii(name)]));
const huge = "0123456789abcdef".repeat(100_000);

describe("an archive is accepted", () => {
  const twoSizes = (length = 16) => Buffer.concat([u64(5), u64(7)]).subarray(0, length);
  test.each<[string, readonly CraftedEntry[], object]>([
    ["that is deflated", [page], {}],
    ["that is stored", [{ method: 0 }], {}],
    ["with a signed data descriptor", [{ descriptor: "signed", local: { crc: 0, compressedSize: 0, size: 0 } }], {}],
    [
      "with an unsigned data descriptor",
      [{ descriptor: "unsigned", local: { crc: 0, compressedSize: 0, size: 0 } }],
      {},
    ],
    ["with 64-bit data descriptors", [{ descriptor: "signed64" }, { name: "b", descriptor: "unsigned64" }], {}],
    ["with ZIP64 records", [page], { zip64: true }],
    ["with ZIP64 records and true short ones", [page], { zip64: true, short: { count: 1 } }],
    [
      "with ZIP64 sizes of an entry",
      [
        {
          local: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extra(1, twoSizes()) },
          central: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extra(1, twoSizes()) },
        },
      ],
      {},
    ],
    ["with bytes in front that its offsets do not count", [page], { prefix: ascii("#!/bin/sh\n") }],
    ["with bytes in front that its offsets count", [page], { prefix: ascii("#!/bin/sh\n"), adjusted: true }],
    ["with bytes in front and ZIP64 records", [page], { prefix: ascii("#!/bin/sh\n"), zip64: true }],
    ["with a comment", [page], { comment: ascii("made by hand") }],
    ["with half an end record as its comment", [page], { comment: ascii("PK\u0005\u0006 and no more") }],
    ["with the longest comment", [page], { comment: Buffer.alloc(0xffff, "x") }],
    [
      "with unknown extra fields and padding behind them",
      [{ central: { extra: Buffer.concat([extra(0x5455, u32(1)), Buffer.alloc(3)]) } }],
      {},
    ],
    ["with space between entries", [{ gap: Buffer.alloc(512) }], { beforeDirectory: Buffer.alloc(512) }],
    ["with names from `.//` on", [{ name: ".//", content: "", method: 0 }, { name: "./index.html" }], {}],
    ["in one wrapping folder", [{ name: "site/index.html" }], {}],
    [
      "in one wrapping folder that is listed",
      [{ name: "site/", content: "", method: 0 }, { name: "site/index.html" }],
      {},
    ],
    ["with odd permissions", [{ mode: 0o106777 }], {}],
    ["with a folder of two bytes of deflated nothing", [page, { name: "d/", content: "" }], {}],
    ["with a short extra field of its type", [{ central: { extra: extra(0x756e, symlink.subarray(0, 5)) } }], {}],
    ["with a Unicode path of another version", [{ central: { extra: unicodePath(2, "other") } }], {}],
    [
      "with a Unicode path that is too short",
      [{ central: { extra: extra(0x7075, new Uint8Array([1, 0, 0, 0])) } }],
      {},
    ],
    ["with 100 folders", [page, { name: `${"a/".repeat(99)}b` }], {}],
    ["with a path of 1,024 bytes", [page, { name: `${`${"a".repeat(204)}/`.repeat(4)}${"a".repeat(204)}` }], {}],
    ["with a name of 255 bytes", [page, { name: "a".repeat(255) }], {}],
  ])("%s", async (_, entries, end) => {
    expect(await unpacked(entries, end)).toMatchObject(site);
  });

  test.each([
    ["one NUL byte", {}, 1],
    ["a block of them", {}, 10_240],
    ["more than any comment has", {}, 200_000],
    ["some, after a comment", { comment: ascii("made by hand") }, 10_240],
    ["some, after a comment of NUL bytes", { comment: Buffer.alloc(100) }, 10_240],
    ["some, after half an end record as its comment", { comment: ascii("PK\u0005\u0006") }, 10],
  ])("followed by NUL bytes: %s", async (_, end, count) => {
    const archive = Buffer.concat([craftZip([page], end), Buffer.alloc(count)]);
    expect(bench.contents(await bench.unpack(archive))).toEqual({ "index.html": Buffer.from("hello") });
  });

  test("with names in UTF-8, with or without the flag, and in code page 437", async () => {
    const entries = [
      { name: "flagged-ü", flags: 1 << 11 },
      { name: "bare-ü" },
      { name: Buffer.concat([ascii("old-"), new Uint8Array([0x81])]) },
    ];
    const archive = await bench.unpack(craftZip(entries));
    expect(archive.files.map(({ path }) => path).sort()).toEqual(["bare-ü", "flagged-ü", "old-ü"]);
    expect(archive.guessedNames).toEqual(["old-ü"]);
  });

  // Windows PowerShell 5.1 writes such archives.
  test.each([0, 10, 11, 14])("with backslashes between folders, by the system %d", async (madeBy) => {
    const folder = { content: "", method: 0, attributes: 0x10, madeBy };
    const entries = [
      { name: "site\\empty\\", ...folder },
      { name: "site\\index.html", madeBy },
      { name: "site\\css\\a b.css", madeBy, flags: 1 << 11 },
    ];
    expect(await unpacked(entries)).toEqual({ "index.html": "hello", "css/a b.css": "hello" });
  });

  test("with large entries, which are stored in chunks", async () => {
    const entries = [
      { name: "deflated", content: huge },
      { name: "stored", content: `${huge}!`, method: 0 },
    ];
    expect(await unpacked(entries)).toEqual({ deflated: huge, stored: `${huge}!` });
    expect(readdirSync(join(bench.home, "data", "content", "staging"))).toEqual([]);
  });

  test("with empty files, stored or deflated", async () => {
    expect(
      await unpacked([
        { name: "a", content: "" },
        { name: "b", content: "", method: 0 },
      ]),
    ).toEqual({ a: "", b: "" });
  });
});

describe("in an archive", () => {
  test("files of operating systems and version control, and credentials, are omitted", async () => {
    const names = [
      "index.html",
      "__MACOSX/._index.html",
      "a/.DS_Store",
      "Thumbs.db",
      ".git/HEAD",
      ".git/objects/00/11",
      "a/.git/HEAD",
      ".env",
      ".aws/credentials",
    ];
    const archive = await bench.unpack(craftZip(names.map((name) => ({ name }))));
    expect(archive.files.map((file) => file.path)).toEqual(["index.html"]);
    expect([...archive.leftOut].sort()).toEqual([
      ".aws/",
      ".env",
      ".git/",
      "Thumbs.db",
      "__MACOSX/",
      "a/.DS_Store",
      "a/.git/",
    ]);
  });

  test("private keys are found while the files are hashed", async () => {
    const key = ["-----BEGIN OPENSSH PRIVATE", "KEY-----\n"].join(" ");
    const entries = ["index.html", "id_ed25519", "a/server.pem"].map((name, index) => ({
      name,
      content: index === 0 ? "hello" : `text\n${key}`,
    }));
    expect((await bench.unpack(craftZip(entries))).privateKeys).toEqual(["a/server.pem", "id_ed25519"]);
  });

  test.each(["site/C:/x.html", "./c:notes.html"])(
    "%s is refused as an absolute path, and the wrapping folder is stripped if it is relative",
    async (name) => {
      const entries = [{ name: name.replace(/[^/]*:.*$/, "index.html") }, { name }];
      await expect(bench.unpack(craftZip(entries))).rejects.toThrow("has an absolute path");
    },
  );

  test("one wrapping folder is stripped, even beside omitted files, but not two", async () => {
    const archive = await bench.unpack(craftZip([{ name: "dist/a/index.html" }, { name: "__MACOSX/dist/._a" }]));
    expect(archive.strippedFolder).toBe("dist");
    expect(archive.files.map((file) => file.path)).toEqual(["a/index.html"]);
  });

  test.each<[string, string[]]>([
    ["it lists its own root", [".//", "dist/index.html"]],
    ["an empty folder is beside", ["dist/index.html", "assets/"]],
    ["a file is beside", ["dist/index.html", "dist.html"]],
  ])("no folder is stripped when %s", async (_, names) => {
    const entries = names.map((name) => ({ name, content: name.endsWith("/") ? "" : "x", method: 0 }));
    const archive = await bench.unpack(craftZip(entries));
    expect(archive.strippedFolder).toBeNull();
    expect(archive.files.map((file) => file.path)).toContain("dist/index.html");
  });

  test("the rules in the root are read, and those of other folders are not", async () => {
    const archive = await bench.unpack(
      craftZip([{ name: "_redirects", content: "/a /b" }, { name: "sub/_headers" }, { name: "index.html" }]),
    );
    expect(archive.redirectsText).toBe("/a /b");
    expect(archive.headersText).toBeNull();
  });

  test("texts that are not UTF-8 are reported, known ones and large ones, too", async () => {
    const legacy = new Uint8Array([0x67, 0x72, 0xfc, 0xdf, 0x65]);
    const large = Buffer.alloc(3 * 1024 * 1024, "gr\u00fc\u00dfe ");
    const entries = [
      { name: "index.html", content: "gr\u00fc\u00dfe" },
      { name: "old.html", content: legacy },
      { name: "again.txt", content: legacy },
      { name: "old.bin", content: legacy },
      { name: "large.txt", content: large },
      { name: "cut.txt", content: large.subarray(0, -3) },
      { name: "empty.txt", content: "" },
    ];
    const paths = async (knows: boolean) =>
      (await bench.unpack(craftZip(entries), {}, () => knows)).legacyTexts.map(({ path }) => path);
    expect(await paths(false)).toEqual(["old.html", "again.txt", "cut.txt"]);
    expect(await paths(true)).toEqual(["old.html", "again.txt", "cut.txt"]);
  });

  test("known content is not written again, and is reported as known", async () => {
    const known = new Bun.CryptoHasher("sha256").update("known").digest("hex");
    const entries = [
      { name: "a", content: "known" },
      { name: "b", content: "known" },
      { name: "c", content: "unknown" },
    ];
    const archive = await bench.unpack(craftZip(entries), {}, (digest) => digest === known);
    expect(archive.reused).toEqual([known]);
    expect(await Bun.file(bench.contentPath(known)).exists()).toBe(false);
    expect(await Bun.file(bench.contentPath(archive.files[2]!.digest)).text()).toBe("unknown");
  });

  test("nothing remains of an archive that was refused after some of it was stored", async () => {
    const good = { name: "a", content: "stored before the refusal" };
    const digest = new Bun.CryptoHasher("sha256").update(good.content).digest("hex");
    const bad = { name: "b", local: { crc: 1 }, central: { crc: 1 } };
    await expect(bench.unpack(craftZip([good, bad]))).rejects.toThrow("does not match its checksum");
    expect(await Bun.file(bench.contentPath(digest)).exists()).toBe(false);
    expect((await bench.unpack(craftZip([good]))).files).toHaveLength(1);
  });

  test("known content is looked up in batches, except for content that was just written", async () => {
    const entries = Array.from({ length: 1200 }, (_, index) => ({ name: `${index}`, content: `${index % 700}` }));
    const requested: number[] = [];
    const known = async (digests: readonly string[]) => {
      requested.push(digests.length);
      return new Set<string>();
    };
    const archive = bench.save(craftZip(entries));
    const { files } = await unpackZip({ openContent: () => bench.content, isText, known }, { archive, limits: LIMITS });
    expect(files).toHaveLength(1200);
    expect(requested).toEqual([500, 200]);
  });
});

test("a Unicode path with a wrong checksum is ignored", async () => {
  const unicodePath = Buffer.concat([new Uint8Array([1]), u32(0), new Uint8Array([0xff])]);
  expect(Object.keys(await unpacked([{ name: "café", central: { extra: extra(0x7075, unicodePath) } }]))).toEqual([
    "café",
  ]);
});
