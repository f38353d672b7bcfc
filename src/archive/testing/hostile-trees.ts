import { crc32 } from "node:zlib";
import { ascii, extra, u16, u32 } from "./craft.ts";
import { craft, type HostileArchive, honest, type Row } from "./hostile-row.ts";

/** Archives whose names, types or tree cannot become a site. */
export function hostileTrees(): HostileArchive[] {
  return [...names(), ...conflicts(), ...types()];
}

function names(): HostileArchive[] {
  const rows: [string, string | Uint8Array, string, number?][] = [
    ["an empty name", "", "has no name"],
    ["an absolute name", "/etc/passwd", "absolute path"],
    ["a name with two slashes in front", "//host/share", "absolute path"],
    ["a drive letter", "C:/windows/a.txt", "absolute path"],
    ["a drive letter without slash", "c:a.txt", "absolute path"],
    ["`..` at the start", "../a.txt", "leads out of the site"],
    ["`..` in the middle", "a/../../b.txt", "leads out of the site"],
    ["`..` that stays inside", "a/../b.txt", "leads out of the site"],
    ["`..` at the end", "a/..", "leads out of the site"],
    ["`..` as a folder", "a/../", "leads out of the site"],
    ["`..` behind `.//`", "./../a.txt", "leads out of the site"],
    ["`..` alone", "..", "leads out of the site"],
    ["`.` in the middle", "a/./b.txt", "empty or `.` part"],
    ["`.//` twice", "././a.txt", "empty or `.` part"],
    ["`.` at the end", "a/.", "empty or `.` part"],
    ["`.` alone", ".", "is no file name"],
    ["an empty part", "a//b.txt", "empty or `.` part"],
    ["an empty part behind `.//`", ".//a.txt", "empty or `.` part"],
    ["two slashes at the end", "a//", "empty or `.` part"],
    ["a slash alone", "/", "absolute path"],
    ["a backslash behind a slash", "a/b\\c.txt", "has a backslash"],
    ["backslashes that lead out", "..\\..\\a.txt", "leads out of the site"],
    ["backslashes that lead out and stay inside", "a\\..\\b.txt", "leads out of the site"],
    ["a drive letter with a backslash", "C:\\a.txt", "absolute path"],
    ["a backslash in front", "\\a.txt", "absolute path"],
    ["two backslashes", "a\\\\b.txt", "empty or `.` part"],
    ["a backslash alone", "\\", "absolute path"],
    ["a UNC path", "\\\\host\\share", "absolute path"],
    ["a NUL", "a.txt\0.png", "has a NUL"],
    ["a NUL in front", "\0", "has a NUL"],
    ["a line break", "a\nb.txt", "has a control character"],
    ["a carriage return", "a\rb.txt", "has a control character"],
    ["an escape sequence", "\u001b[2Ja.txt", "has a control character"],
    ["a delete character", "a\u007f.txt", "has a control character"],
    ["the first C1 control character", "a\u0080b.txt", "has a control character", 1 << 11],
    ["the last C1 control character", "a\u009fb.txt", "has a control character", 1 << 11],
    ["a segment of 256 bytes", "a".repeat(256), "more than 255 bytes"],
    ["a segment of 128 two-byte letters", "ä".repeat(128), "more than 255 bytes", 1 << 11],
    ["a path of 1,025 bytes", `${`${"a".repeat(204)}/`.repeat(4)}${"a".repeat(205)}`, "more than 1024 bytes"],
    ["101 folders", "a/".repeat(101), "more than 100 folders deep"],
    ["a name of 65,535 bytes", "a".repeat(0xffff), "more than 1024 bytes"],
    ["a byte that UTF-8 does not have", new Uint8Array([0x61, 0xff]), "said to be UTF-8", 1 << 11],
    ["an overlong slash", new Uint8Array([0x2e, 0x2e, 0xc0, 0xaf, 0x61]), "said to be UTF-8", 1 << 11],
    ["an overlong NUL", new Uint8Array([0x61, 0xc0, 0x80]), "said to be UTF-8", 1 << 11],
    ["half a surrogate pair", new Uint8Array([0xed, 0xa0, 0x80]), "said to be UTF-8", 1 << 11],
    ["a letter cut in two", new Uint8Array([0x61, 0xc3]), "said to be UTF-8", 1 << 11],
  ];
  const entries = rows.map(([what, name, detail, flags = 0]): Row => {
    const folder = typeof name === "string" && name.endsWith("/");
    return [`with ${what} for a name`, [honest, { name, flags, content: folder ? "" : "x", method: 0 }], detail];
  });
  const unicodePath = (name: string, other: string) =>
    extra(0x7075, Buffer.concat([new Uint8Array([1]), u32(crc32(name)), Buffer.from(other)]));
  const systems = [1, 3, 6, 7, 13, 19, 255].map((madeBy): Row => {
    return [`with a backslash by the system ${madeBy}`, [honest, { name: "a\\b.txt", madeBy }], "has a backslash"];
  });
  return craft([
    ...entries,
    ...systems,
    [
      "with `/` in its Unicode path",
      [{ name: "a\\b.txt", central: { extra: unicodePath("a\\b.txt", "a/b.txt") } }],
      'is also called "a/b.txt"',
    ],
    [
      "with another name in its Unicode path",
      [{ name: "a.txt", central: { extra: unicodePath("a.txt", "../b.txt") } }],
      'is also called "../b.txt"',
    ],
    [
      "with no name in its Unicode path",
      [{ name: "a.txt", central: { extra: unicodePath("a.txt", "") } }],
      "is also called",
    ],
  ]);
}

function conflicts(): HostileArchive[] {
  const folder = { content: "", method: 0 };
  return craft([
    ["with two entries of one name", [{ name: "a" }, { name: "b" }, { name: "a" }], '"a" is there twice'],
    ["with two equal entries", [honest, honest], "is there twice"],
    ["with one folder twice", [honest, { name: "d/", ...folder }, { name: "d/", ...folder }], "is there twice"],
    ["with `a` and `./a`", [{ name: "a" }, { name: "./a" }], '"./a" is there twice'],
    ["with one name flagged and not", [{ name: "ü" }, { name: "ü", flags: 1 << 11 }], "is there twice"],
    ["with one name of two separators", [{ name: "a/b" }, { name: "a\\b" }], '"a\\\\b" is there twice'],
    ["with a file that is a folder by a backslash", [{ name: "a" }, { name: "a\\b" }], "is a file and also a folder"],
    ["with one name in two encodings", [{ name: "ü" }, { name: new Uint8Array([0x81]) }], "is there twice"],
    ["with a file that is a folder", [{ name: "a" }, { name: "a/b" }], "is a file and also a folder"],
    ["with a folder that is a file", [{ name: "a/b/c" }, { name: "a/b" }], "is a file and also a folder"],
    ["with a file that is a listed folder", [{ name: "a/", ...folder }, { name: "a" }], "is a file and also a folder"],
    [
      "with a file that is a folder, and names between",
      [{ name: "a" }, { name: "a-b" }, { name: "a.b" }, { name: "a/b/c" }, { name: "a b" }],
      "is a file and also a folder",
    ],
  ]);
}

function types(): HostileArchive[] {
  const modes: [string, number, string][] = [
    ["a symbolic link", 0o120777, "is a symbolic link"],
    ["a character device", 0o020666, "is a device"],
    ["a block device", 0o060660, "is a device"],
    ["a pipe", 0o010644, "is a device"],
    ["a socket", 0o140755, "is a device"],
    ["of an unknown type", 0o170000, "is a device"],
    ["a folder by its mode", 0o040755, "is marked as a folder"],
  ];
  const asi = Buffer.concat([u32(0), u16(0o120777), u32(2), u16(0), u16(0), ascii("..")]);
  return craft([
    ...modes.map(
      ([what, mode, detail]): Row => [`with an entry that is ${what}`, [honest, { name: "x", mode }], detail],
    ),
    ["with a link that no Unix wrote", [{ attributes: 0o120777 * 0x10000 }], "is a symbolic link"],
    ["with a link in an extra field", [{ central: { extra: extra(0x756e, asi) } }], "is a symbolic link"],
    [
      "with a link in half an extra field",
      [{ central: { extra: extra(0x756e, asi.subarray(0, 6)) } }],
      "is a symbolic link",
    ],
    ["with a link to a folder", [{ name: "x/", mode: 0o120777, content: "" }], "is a symbolic link"],
    ["with a folder by its DOS attribute", [{ attributes: 0x10 }], "is marked as a folder"],
    [
      "with a folder by a backslash that holds data",
      [honest, { name: "x\\", content: "data" }],
      "folder that holds data",
    ],
    ["with a folder that holds data", [honest, { name: "x/", content: "data" }], "folder that holds data"],
    [
      "with a folder that hides bytes",
      [honest, { name: "x/", data: ascii("any"), content: "" }],
      "folder that holds data",
    ],
  ]);
}
