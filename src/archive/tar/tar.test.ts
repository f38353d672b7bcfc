import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { readTar, TAR_END, tarHeader, tarPadding } from "./tar.ts";

const files: readonly (readonly [string, string])[] = [
  ["empty.txt", ""],
  ["one-block.txt", "x".repeat(512)],
  ["content/ab/more.txt", "y".repeat(1300)],
];

function archive(): Buffer {
  const parts = files.flatMap(([name, text]) => [
    tarHeader(name, text.length, Date.UTC(2026, 10, 21)),
    Buffer.from(text),
    tarPadding(text.length),
  ]);
  return Buffer.concat([...parts, TAR_END]);
}

/** The bytes in pieces that no boundary of the format falls together with. */
async function* inPieces(bytes: Uint8Array, size = 97): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const entry of readTar(inPieces(bytes))) {
    found.push([entry.name, Buffer.concat(await Array.fromAsync(entry.read())).toString()]);
  }
  return found;
}

test("what is written is read again", async () => {
  expect(await read(archive())).toEqual(files as [string, string][]);
});

needing("tar").test("tar itself reads what we write, and we read what tar writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-tar-"));
  try {
    await Bun.write(join(folder, "ours.tar"), archive());
    await Bun.$`mkdir out && tar -xf ours.tar -C out && tar -cf theirs.tar -C out ${files.map(([name]) => name)}`.cwd(
      folder,
    );
    for (const [name, text] of files) expect(await Bun.file(join(folder, "out", name)).text()).toBe(text);
    expect(await read(await Bun.file(join(folder, "theirs.tar")).bytes())).toEqual(files as [string, string][]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("entries that nobody reads are passed over", async () => {
  const names: string[] = [];
  for await (const { name } of readTar(inPieces(archive()))) names.push(name);
  expect(names).toEqual(files.map(([name]) => name));
});

test("a size beyond eight gibibytes survives", async () => {
  const size = 9 * 1024 ** 3;
  const { value } = await readTar(inPieces(tarHeader("big", size, 0))).next();
  expect(value).toMatchObject({ name: "big", size });
});

test("an archive that ends early, or is none, is refused", async () => {
  expect(read(archive().subarray(0, 1000))).rejects.toThrow("it ends early");
  expect(read(Buffer.alloc(1024, "no tar"))).rejects.toThrow("it is no tar archive, or damaged");
});
