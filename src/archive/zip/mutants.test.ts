import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DomainError } from "../../domain/errors.ts";
import { needing } from "../../testing/needing.ts";
import { craftZip } from "../testing/craft.ts";
import { hostileArchives } from "../testing/hostile.ts";
import { mutate, seededNumbers } from "../testing/mutants.ts";
import { ARCHIVERS, makeArchive, writeSite } from "../testing/tools.ts";
import { openWorkbench } from "../testing/unpacking.ts";

/** Mutants per archiver; `VITRINE_MUTANTS=5000 bun test mutants` tries more. */
const MUTANTS = Number(process.env.VITRINE_MUTANTS ?? 150);

/** A small site, so that mutations hit headers as often as content. */
const SITE = {
  "index.html": "<h1>hello</h1>".repeat(20),
  "a/b.txt": "b",
  "größe.txt": "ü",
  ".well-known/x": "x",
  empty: "",
};

const bench = openWorkbench();
afterAll(() => bench.close());
/** Accepted mutants with their content. Python must read the same content. */
const accepted: { file: string; digests: Record<string, string> }[] = [];

const escaped: unknown[] = [];
const onEscape = (error: unknown) => escaped.push(error);
beforeAll(() => {
  process.on("uncaughtException", onEscape);
  process.on("unhandledRejection", onEscape);
});
afterAll(() => {
  process.off("uncaughtException", onEscape);
  process.off("unhandledRejection", onEscape);
});

/** Unpacks mutants of one archive. Any result except a site or a DomainError fails the test. */
async function unpackMutants(seed: number, archive: Uint8Array): Promise<void> {
  const random = seededNumbers(seed);
  for (let count = 0; count < MUTANTS; count++) {
    const bytes = mutate(archive, random);
    try {
      const { files, strippedFolder } = await bench.unpack(bytes);
      const prefix = strippedFolder === null ? "" : `${strippedFolder}/`;
      const digests = Object.fromEntries(files.map(({ path, digest }) => [prefix + path, digest]));
      accepted.push({ file: bench.save(bytes), digests });
    } catch (error) {
      if (!(error instanceof DomainError)) throw new Error(`mutant ${count} of seed ${seed}`, { cause: error });
      expect(["invalid", "limit_exceeded"]).toContain(error.kind);
    }
  }
}

describe("a damaged archive is either unpacked or refused:", () => {
  for (const [index, archiver] of ARCHIVERS.entries()) {
    needing(archiver.program).test(`of ${archiver.what}`, async () => {
      const folder = join(bench.home, `mutants-${index}`);
      mkdirSync(folder);
      writeSite(folder, SITE);
      await unpackMutants(index + 1, await makeArchive(archiver, folder));
    });
  }

  test("of large entries, which are read in chunks", async () => {
    const content = Buffer.alloc(1_500_000, "big content ");
    await unpackMutants(
      100,
      craftZip([{ content }, { name: "stored", content: content.subarray(0, 1_100_000), method: 0 }]),
    );
  });

  test("of hostile archives", async () => {
    for (const [index, { bytes }] of hostileArchives().entries()) {
      const random = seededNumbers(1000 + index);
      const archive = bytes();
      if (archive.length > 100_000) continue;
      for (let count = 0; count < 10; count++) {
        const error = await bench.unpack(mutate(archive, random)).catch((reason) => reason);
        if (error instanceof Error) expect(error).toBeInstanceOf(DomainError);
      }
    }
  });

  test("no other error was thrown", async () => {
    await new Promise(setImmediate);
    expect(escaped).toEqual([]);
  });
});

needing("python").test("Python reads the same content from every accepted mutant", async () => {
  const script = Bun.fileURLToPath(new URL("../testing/read-names.py", import.meta.url));
  const python = Bun.spawn(["python3", script], { stdin: "pipe", stdout: "pipe" });
  python.stdin.write(accepted.map(({ file }) => `${file}\n`).join(""));
  await python.stdin.end();
  const lines = (await new Response(python.stdout).text()).trim().split("\n");
  expect(lines).toHaveLength(accepted.length);
  expect(accepted.length).toBeGreaterThan(MUTANTS);
  const differing = accepted.filter(({ digests }, index) => {
    const read: Record<string, string> = JSON.parse(lines[index]!);
    return !("error" in read) && !Bun.deepEquals(read, digests);
  });
  expect(differing).toEqual([]);
});
