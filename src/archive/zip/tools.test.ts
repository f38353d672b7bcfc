import { afterAll, describe, expect } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { DomainError } from "../../domain/errors.ts";
import { needing } from "../../testing/needing.ts";
import { craftZip } from "../testing/craft.ts";
import { ARCHIVERS, makeArchive, REFUSED_BY_MAKER, SAMPLE_SITE, writeSite } from "../testing/tools.ts";
import { openWorkbench } from "../testing/unpacking.ts";
import { writeZip } from "./write.ts";

const bench = openWorkbench();
afterAll(() => bench.close());
const expected = Object.fromEntries(Object.entries(SAMPLE_SITE).map(([path, bytes]) => [path, Buffer.from(bytes)]));

let sites = 0;
function newSite(): string {
  const folder = join(bench.home, `site-${sites++}`);
  mkdirSync(folder);
  writeSite(folder);
  return folder;
}

describe("an archive of another program is unpacked completely", () => {
  for (const archiver of ARCHIVERS) {
    needing(archiver.program).test(archiver.what, async () => {
      const bytes = await makeArchive(archiver, newSite());
      expect(bench.contents(await bench.unpack(bytes))).toEqual(expected);
    });
  }
});

describe("an archive of another program is refused", () => {
  for (const archiver of REFUSED_BY_MAKER) {
    needing(archiver.program).test(archiver.what, async () => {
      const bytes = await makeArchive(archiver, newSite());
      const error = await bench.unpack(bytes).catch((reason) => reason);
      expect(error).toBeInstanceOf(DomainError);
      expect(error.kind).toBe("invalid");
      expect(error.detail).toContain(archiver.detail);
    });
  }
});

describe("an archive with backslashes is read like by another program:", () => {
  const programs = [
    ["unzip", 'unzip -q "$ZIP"', [0]],
    ["bsdtar", 'bsdtar -xf "$ZIP"', [0, 10, 11, 14]],
  ] as const;
  const names = ["index.html", "a\\b.html", "a\\deep\\large page.css", "b/c.js"];
  for (const [program, command, systems] of programs) {
    needing(program).test.each(systems.map((system) => [program, system] as const))(
      "%s, system %d",
      async (_, madeBy) => {
        const bytes = craftZip(names.map((name) => ({ name, content: name, madeBy, flags: 1 << 11 })));
        const folder = join(bench.home, `out-${sites++}`);
        mkdirSync(folder);
        const env = { ...process.env, LC_ALL: "C.UTF-8", ZIP: bench.save(bytes) };
        // unzip warns about the backslashes with status 1.
        await Bun.spawn(["sh", "-c", command], { cwd: folder, env, stdout: "ignore", stderr: "ignore" }).exited;
        const read = await Array.fromAsync(new Glob("**/*").scan({ cwd: folder, dot: true }));
        const contents = bench.contents(await bench.unpack(bytes));
        expect(Object.keys(contents).sort()).toEqual(read.sort());
        for (const path of read) expect(contents[path]).toEqual(readFileSync(join(folder, path)));
      },
    );
  }
});

describe("archives of the server can be read by other programs", () => {
  const programs = [
    ["unzip", 'unzip -q "$ZIP"'],
    ["7z", '7z x -bd "$ZIP" > /dev/null'],
    ["bsdtar", 'bsdtar -xf "$ZIP"'],
    ["python", 'python3 -m zipfile -e "$ZIP" .'],
  ] as const;
  for (const [program, command] of programs) {
    needing(program).test.each(["", "only/"])(`under %p by ${program}`, async (prefix) => {
      const folder = join(bench.home, `out-${sites++}`);
      mkdirSync(folder);
      const site = Object.entries(expected).map(([path, bytes]) => [`${prefix}${path}`, bytes] as const);
      const stored = site.map(async ([path, bytes]) => {
        const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
        await bench.content.put(digest, bytes);
        return { path, digest, size: bytes.length };
      });
      const files = await Promise.all(stored);
      const archive = bench.save(await new Response(writeZip(files, bench.content, () => {})).bytes());
      const env = { ...process.env, LC_ALL: "C.UTF-8", ZIP: archive };
      expect(await Bun.spawn(["sh", "-c", command], { cwd: folder, env, stdout: "ignore" }).exited).toBe(0);
      for (const [path, bytes] of site)
        expect(await Bun.file(join(folder, path)).bytes()).toEqual(new Uint8Array(bytes));
    });
  }
});
