import { expect, test } from "bun:test";
import { join } from "node:path";
import { Readable } from "node:stream";
import { packTar } from "modern-tar";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { readTar } from "./tar.ts";

const files: readonly (readonly [string, string])[] = [
  ["empty.txt", ""],
  ["one-block.txt", "x".repeat(512)],
  ["content/ab/more.txt", "y".repeat(1300)],
];

const archive = await packTar(
  files.map(([name, body]) => ({ header: { name, size: body.length, mode: 0o600, mtime: new Date(0) }, body })),
);

/** The bytes in chunks whose size shares no boundary with the format. */
function inPieces(bytes: Uint8Array, size = 97): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(pieces, { objectMode: false });
}

async function read(bytes: Uint8Array): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const entry of readTar(inPieces(bytes))) {
    found.push([entry.name, Buffer.concat(await Array.fromAsync(entry.read())).toString()]);
  }
  return found;
}

test("a written archive can be read again", async () => {
  expect(await read(archive)).toEqual(files as [string, string][]);
});

needing("tar").test("output of the program tar can be read, including sizes above eight gibibytes", async () => {
  const folder = temporaryFolder();
  for (const [name, text] of files) await Bun.write(join(folder, name), text);
  await Bun.$`tar -cf theirs.tar ${files.map(([name]) => name)}`.cwd(folder);
  expect(await read(await Bun.file(join(folder, "theirs.tar")).bytes())).toEqual(files as [string, string][]);
  for (const format of ["gnu", "pax"]) {
    await Bun.$`truncate -s 9G big; tar --format=${format} -cf - big | head -c 4096 > big.tar`.cwd(folder).quiet();
    const { value } = await readTar(inPieces(await Bun.file(join(folder, "big.tar")).bytes())).next();
    expect(value).toMatchObject({ name: "big", size: 9 * 1024 ** 3 });
  }
});

test("unread entries are skipped", async () => {
  const names: string[] = [];
  for await (const { name } of readTar(inPieces(archive))) names.push(name);
  expect(names).toEqual(files.map(([name]) => name));
});

test("an entry is read completely after a skipped one in the same chunk", async () => {
  const sizes = [3, 30, 300_000];
  const entries = sizes.map((size) => ({ header: { name: `${size}`, size }, body: new Uint8Array(size) }));
  const read: number[] = [];
  for await (const { name, read: parts } of readTar(inPieces(await packTar(entries), 65_536))) {
    if (name !== "30") read.push(Buffer.concat(await Array.fromAsync(parts())).length);
  }
  expect(read).toEqual([3, 300_000]);
});

test("an archive that is truncated or invalid is refused", async () => {
  await expect(read(archive.subarray(0, 1000))).rejects.toThrow("it ends early");
  await expect(read(archive.subarray(0, 2300))).rejects.toThrow("it ends early");
  await expect(read(Buffer.alloc(1024, "no tar"))).rejects.toThrow("it is no tar archive, or damaged");
});

test("a disk error is passed on", async () => {
  const failing = new Readable({ read() {} });
  failing.push(archive.subarray(0, 700));
  setImmediate(() => failing.destroy(Object.assign(new Error("EIO"), { code: "EIO", syscall: "read" })));
  const reading = async () => {
    for await (const entry of readTar(failing)) await Array.fromAsync(entry.read());
  };
  await expect(reading()).rejects.toMatchObject({ syscall: "read" });
});
