import { constants, crc32, deflateRawSync } from "node:zlib";
import { ascii, type CraftedEntry, craftZip, extra, u16, u32, u64 } from "./craft.ts";
import { craft, type HostileArchive, honest, type Row } from "./hostile-row.ts";
import { hostileTrees } from "./hostile-trees.ts";

/** Archives that must be refused with `invalid` although another program would unpack them. */
export function hostileArchives(): HostileArchive[] {
  return [...hostileTrees(), ...methods(), ...localTwins(), ...sizes(), ...layouts(), ...ends()];
}

const ONES = 0xffffffff;
function methods(): HostileArchive[] {
  const unknown = [1, 6, 9, 12, 14, 93, 95, 98, 1234].map((method): Row => {
    return [`with method ${method}`, [honest, { name: "x", method, content: "abc" }], '"x" is compressed by'];
  });
  return craft([
    ...unknown,
    ["with an encrypted entry", [honest, { name: "x", flags: 1 }], '"x" is encrypted'],
    ["with strong encryption", [{ flags: 1 | (1 << 6) }], "is encrypted"],
    ["with masked headers", [{ flags: 1 << 13 }], "is encrypted"],
    ["with AES encryption", [{ flags: 1, method: 99, content: "x" }], "is encrypted"],
    ["with AES encryption that is not flagged", [{ method: 99, content: "x" }], "is encrypted"],
    ["with a patch", [{ flags: 1 << 5 }], "is a patch"],
  ]);
}

function localTwins(): HostileArchive[] {
  const lies: [string, CraftedEntry, string][] = [
    ["name", { local: { name: ascii("index.php!") } }, "has one name"],
    ["longer name", { local: { name: ascii("index.html.exe") } }, "has one name"],
    ["name by its flag", { name: "ü", flags: 1 << 11, local: { flags: 0 } }, "has one name"],
    ["method", { local: { method: 0 } }, "has one method"],
    ["encryption", { local: { flags: 1 } }, "has one method"],
    ["use of a descriptor", { local: { flags: 8 } }, "has one method"],
    ["checksum", { local: { crc: 1 } }, "has one size or checksum"],
    ["size", { local: { size: 4 } }, "has one size or checksum"],
    ["compressed size", { local: { compressedSize: 4 } }, "has one size or checksum"],
    ["size of zero", { local: { size: 0, compressedSize: 0, crc: 0 } }, "has one size or checksum"],
    ["size beside its descriptor", { descriptor: "signed", local: { size: 4 } }, "has one size or checksum"],
    ["checksum beside its descriptor", { descriptor: "signed", local: { crc: 4 } }, "has one size or checksum"],
    [
      "ZIP64 size",
      { local: { size: ONES, compressedSize: ONES, extra: extra(1, Buffer.concat([u64(6), u64(7)])) } },
      "has one size or checksum",
    ],
    [
      "half of its ZIP64 sizes",
      { local: { size: ONES, compressedSize: ONES, extra: extra(1, u64(5)) } },
      "has one size or checksum",
    ],
    ["signature", { local: { signature: 0x04034b51 } }, "is not where"],
    [
      "extra field that is longer than it",
      { local: { extra: Buffer.concat([u16(0x5455), u16(99)]) } },
      "damaged header",
    ],
  ];
  return craft(
    lies.map(([what, entry, detail]): Row => [`with another ${what} in the local header`, [honest, entry], detail]),
  );
}

function sizes(): HostileArchive[] {
  const deflated = deflateRawSync("hello");
  const endless = deflateRawSync("hello", { finishFlush: constants.Z_SYNC_FLUSH });
  const zeros = deflateRawSync(Buffer.alloc(1024 * 1024));
  const big = deflateRawSync(Buffer.alloc(3 * 1024 * 1024, "big content "));
  const both = (fields: object) => ({ local: fields, central: fields });
  const bigSize = 3 * 1024 * 1024;
  return craft([
    ["with more content than declared", [both({ size: 4 })], "does not have its declared size"],
    ["with less content than declared", [both({ size: 6 })], "does not have its declared size"],
    ["with content where none is declared", [both({ size: 0 })], "does not have its declared size"],
    ["with a bomb declared small", [{ data: zeros, content: "x" }], "does not have its declared size"],
    [
      "with big content that is longer than declared",
      [{ data: big, ...both({ size: bigSize - 1 }) }],
      "does not have its declared size",
    ],
    [
      "with big content that is shorter than declared",
      [{ data: big, ...both({ size: bigSize + 1 }) }],
      "does not have its declared size",
    ],
    [
      "with big content of another checksum",
      [{ data: big, ...both({ size: bigSize }) }],
      "does not match its checksum",
    ],
    ["with another checksum", [both({ crc: 1 })], "does not match its checksum"],
    ["with another checksum of stored content", [{ method: 0, ...both({ crc: 1 }) }], "does not match its checksum"],
    ["with no compressed byte", [{ data: new Uint8Array() }], "does not have its declared size"],
    ["with half of its data", [{ data: deflated.subarray(0, 3) }], "does not have its declared size"],
    ["with all its content and no end of it", [{ data: endless }], "does not have its declared size"],
    [
      "with bytes behind its data",
      [{ data: Buffer.concat([deflated, ascii("hidden")]) }],
      "does not have its declared size",
    ],
    [
      "with bytes behind big data",
      [{ data: Buffer.concat([big, ascii("hidden")]), content: Buffer.alloc(bigSize, "big content ") }],
      "does not have its declared size",
    ],
    ["with data that is not deflated", [{ data: Buffer.alloc(20, 0xff) }], "is damaged"],
    ["with big data that is not deflated", [{ data: Buffer.alloc(2_000_000, 0xff) }], "is damaged"],
    ["stored with two sizes", [{ method: 0, ...both({ size: 3 }) }], "stored with two different sizes"],
    ["with another descriptor", [{ descriptor: Buffer.alloc(16, 1) }], "is followed by other sizes"],
    ["with no descriptor", [{ flags: 8 }], "is followed by other sizes"],
    ["with another size in its descriptor", [{ descriptor: descriptor(5, 8), flags: 8 }], "is followed by other sizes"],
    ["without the ZIP64 sizes it points to", [both({ size: ONES, compressedSize: ONES })], "lacks a part of its ZIP64"],
    [
      "with half of its ZIP64 sizes",
      [{ central: { size: ONES, compressedSize: ONES, extra: extra(1, u64(5)) } }],
      "lacks a part of its ZIP64",
    ],
    [
      "with two ZIP64 extra fields",
      [{ central: { size: ONES, extra: Buffer.concat([extra(1, u64(5)), extra(1, u64(500))]) } }],
      "states its size twice",
    ],
    [
      "with a size beyond all files",
      [{ central: { compressedSize: ONES, extra: extra(1, Buffer.alloc(8, 0xff)) } }],
      "a size that no file can have",
    ],
    [
      "with an extra field that is longer than it",
      [{ central: { extra: Buffer.concat([u16(1), u16(9)]) } }],
      "damaged header",
    ],
  ]);
}

function descriptor(size: number, compressedSize: number): Buffer {
  return Buffer.concat([u32(0x08074b50), u32(crc32("hello")), u32(compressedSize), u32(size)]);
}

function layouts(): HostileArchive[] {
  const bomb = deflateRawSync(Buffer.alloc(100_000));
  const inner = craftZip([{ name: "inner.html" }]);
  return craft([
    [
      "with two entries on the same data",
      [honest, { ...honest, name: "honest2txt", central: { offset: 0 } }],
      "overlaps",
    ],
    [
      "with an entry inside another",
      [
        { name: "a", method: 0, content: inner },
        { name: "b", central: { offset: 31 } },
      ],
      "overlaps",
    ],
    [
      "with data that reaches into the next entry",
      [{ name: "a", method: 0, content: "x", local: longer(40), central: longer(40) }, honest],
      'overlaps "a"',
    ],
    [
      "with data that reaches into the list",
      [{ method: 0, local: longer(40), central: longer(40) }],
      "reaches beyond the end",
    ],
    ["with data beyond the end", [{ method: 0, local: longer(4e7), central: longer(4e7) }], "reaches beyond the end"],
    ["with an entry beyond the end", [{ central: { offset: 4_000_000_000 } }], "is not where"],
    ["with an entry where there is none", [{ central: { offset: 3 } }], "is not where"],
    [
      "with a hidden entry between",
      [honest, { name: "hidden", unlisted: true, data: bomb }, { name: "z" }],
      "does not name",
    ],
    ["with a hidden entry at the start", [{ name: "hidden", unlisted: true }, honest], "does not name"],
    ["with a hidden entry at the end", [honest, { name: "hidden", unlisted: true }], "does not name"],
    ["behind another archive", [honest], "does not name", { prefix: inner }],
    ["behind another archive that its offsets count", [honest], "does not name", { prefix: inner, adjusted: true }],
    ["with an entry of another disk", [{ central: { disk: 1 } }], "another part of a split archive"],
    ["with a damaged list", [{ central: { signature: 0x02014b51 } }], "list of entries is damaged"],
  ]);
}

function longer(size: number) {
  return { size, compressedSize: size };
}

const OTHERS = [
  ["\x1f\x8b\x08", "a gzip file"],
  ["\x28\xb5\x2f\xfd", "a Zstandard file"],
  ["\xfd7zXZ\0", "an xz file"],
  ["BZh9", "a bzip2 file"],
  [`${"a".repeat(257)}ustar`, "a tar archive"],
  ["7z\xbc\xaf\x27\x1c", "a 7z archive"],
  ["Rar!\x1a\x07\x01", "a RAR archive"],
] as const;

function ends(): HostileArchive[] {
  const whole = craftZip([honest]);
  const nuls = Buffer.alloc(100);
  const commented = craftZip([honest], { comment: ascii("made by hand") });
  const cutAndFilled = Buffer.concat([commented.subarray(0, -10), Buffer.alloc(9)]);
  const twice = craftZip([honest], { comment: craftZip([]) });
  // The directory of another archive is at the claimed offset without the prefix.
  const other = craftZip([{ ...honest, content: "forged" }]);
  const raw: [string, Uint8Array, string][] = [
    ["that is empty", new Uint8Array(), "is not a ZIP"],
    ["that is text", ascii("<!doctype html>"), "is not a ZIP"],
    ...OTHERS.map(([start, what]): [string, Uint8Array, string] => {
      return [`that is ${what}`, Buffer.concat([ascii(start), Buffer.alloc(500)]), `is not a ZIP archive but ${what}`];
    }),
    ["that begins like another format", ascii("\x1f"), "is not a ZIP archive, or"],
    ["that is only a signature", ascii("PK\x05\x06"), "is not a ZIP"],
    ["cut in its end record", whole.subarray(0, whole.length - 1), "is not a ZIP"],
    ["cut in its list", whole.subarray(0, whole.length - 30), "is not a ZIP"],
    ["cut at its start", whole.subarray(1), "is not where it says"],
    ["with bytes behind its end", Buffer.concat([whole, ascii("x")]), "bytes behind its end"],
    ["with a byte behind NUL bytes", Buffer.concat([whole, Buffer.alloc(9000), ascii("x")]), "bytes behind its end"],
    [
      "with bytes behind its comment and NUL bytes",
      Buffer.concat([commented, ascii("x"), nuls]),
      "bytes behind its end",
    ],
    ["cut in its end record, with a NUL byte for the rest", cutAndFilled, "is not a ZIP"],
    ["with an end record in its comment and NUL bytes behind", Buffer.concat([twice, nuls]), "a second end of archive"],
    ["that is NUL bytes alone", Buffer.alloc(100_000), "is not a ZIP"],
    ["with an end record in its comment", twice, "a second end of archive"],
  ];
  return [
    ...raw.map(([what, bytes, detail]) => ({ what, detail, bytes: () => bytes })),
    ...craft([
      ["without entries", [], "holds no file"],
      ["with folders alone", [{ name: "a/", content: "", method: 0 }], "holds no file"],
      ["with nothing but what is left out", [{ name: "__MACOSX/._a" }, { name: ".DS_Store" }], "holds no file"],
      ["that claims more entries", [honest], "claims 2 entries", { count: 2 }],
      ["that claims fewer entries", [honest, { name: "z" }], "claims 1 entries", { count: 1 }],
      ["that claims no entry", [honest], "claims 0 entries", { count: 0 }],
      ["with two counts", [honest], "split archive", { diskCount: 2 }],
      ["of several disks", [honest], "split archive", { disk: 1 }],
      ["with a shorter list", [honest], "read in two ways", { directorySize: 50 }],
      ["with a list that is not at its offset", [honest], "is not where it says", { directoryOffset: 9999 }],
      ["with a list that is longer than the file", [honest], "is not where it says", { directorySize: 9999 }],
      ["with bytes between list and end", [honest], "read in two ways", { behindDirectory: Buffer.alloc(8) }],
      ["with two lists", [honest], "read in two ways", { prefix: other.subarray(0, other.length - 22) }],
      ["with two counts in its end records", [honest], "contradict each other", { zip64: true, short: { count: 2 } }],
      ["with two sizes in its end records", [honest], "contradict each other", { zip64: true, short: { size: 9 } }],
      ["with two offsets in its end records", [honest], "contradict each other", { zip64: true, short: { offset: 9 } }],
      ["with a ZIP64 record elsewhere", [honest], "contradict each other", { zip64: { at: 0 } }],
      ["with ZIP64 records of two disks", [honest], "split archive", { zip64: { disks: 2 } }],
      ["with a ZIP64 record of another length", [honest], "unknown form", { zip64: { length: 4096 } }],
      ["with a ZIP64 size beyond all files", [honest], "no file can have", { zip64: { size: -1 } }],
      ["with 2^60 entries", [honest], "no file can have", { zip64: { count: 2 ** 60 } }],
      ["with 2^52 entries", [honest], "claims 4503599627370496 entries", { zip64: { count: 2 ** 52 } }],
    ]),
  ];
}
