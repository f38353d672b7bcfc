import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";

/** A replacement in a source file, to build another version, or one with a mistake that the checker must find. */
interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const SLOW_MS = 150;
const APPLY = "      await replica.apply(read.batch, read.files);\n";
const SLOW_NODES: Patch = {
  file: "src/storage/replica/follow.ts",
  from: APPLY,
  to: `      await Bun.sleep(Math.random() * ${SLOW_MS});\n${APPLY}`,
};

/** Replaces the intervals and graces of collection, which are hours and days, by milliseconds. */
function collecting(interval: number, grace: number): readonly Patch[] {
  const sweep = "src/jobs/sweep.ts";
  return [
    { file: sweep, from: "const INTERVAL = HOUR", to: `const INTERVAL = ${interval}` },
    { file: sweep, from: "const PUBLISHED_GRACE = HOUR", to: `const PUBLISHED_GRACE = ${grace}` },
    { file: sweep, from: "const CONDEMNED_GRACE = 30 * MINUTE", to: `const CONDEMNED_GRACE = ${grace}` },
    { file: "src/jobs/collect-objects.ts", from: "every: HOUR", to: `every: ${interval}` },
    { file: "src/storage/content/s3/collect.ts", from: "const GRACE_MS = DAY", to: `const GRACE_MS = ${4 * grace}` },
  ];
}

/**
 * Builds by name. The first three keep all promises, which shows that what the checker finds in the others is due to
 * their mistake.
 */
export const BUILDS = {
  released: [],
  "slow nodes": [SLOW_NODES],
  "short graces": collecting(5000, 5000),
  "no barrier": [
    SLOW_NODES,
    {
      file: "src/storage/postgres/barrier.ts",
      from: "    async pass(rowId) {\n",
      to: "    async pass(rowId) {\n      if (rowId > 0) return;\n",
    },
  ],
  "early acknowledgement": [
    {
      ...SLOW_NODES,
      to: `      await onApplied(read.batch.upTo);\n${SLOW_NODES.to}`,
    },
  ],
  "no grace": collecting(500, 0),
} satisfies Readonly<Record<string, readonly Patch[]>>;

export type BuildName = keyof typeof BUILDS;

export const NEXT_VERSION = "99.0.0";

/** A version with a newer schema, whose migration changes a table that every change uses. */
export const NEXT: readonly Patch[] = [
  { file: "package.json", from: '"version": "0.1.0"', to: `"version": "${NEXT_VERSION}"` },
  {
    file: "src/storage/postgres/migrate.ts",
    from: "[{ statements: initial, oldestKnown: 1 }]",
    to: `[{ statements: initial, oldestKnown: 1 }, {
      statements: "ALTER TABLE sites ADD COLUMN since_next_version text; CREATE TABLE next_version (id bigint)",
      oldestKnown: 1,
    }]`,
  },
];

const ROOT = join(import.meta.dir, "..", "..", "..");

/** Throws an error unless the sources have each line that a build changes, once. */
export function checkPatches(): void {
  for (const { file, from } of [...Object.values(BUILDS).flat(), ...NEXT]) {
    const found = readFileSync(join(ROOT, file), "utf8").split(from).length - 1;
    if (found !== 1) throw new Error(`${file} has ${JSON.stringify(from)} ${found} times, not once: change the patch`);
  }
}

/** Builds the executable from a copy of the sources with these patches. Returns its path, in the folder. */
export async function buildPatched(folder: string, patches: readonly Patch[]): Promise<string> {
  const copy = join(folder, "sources");
  mkdirSync(copy);
  for (const name of ["src", "public", "scripts", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const { file, from, to } of patches) {
    const source = readFileSync(join(copy, file), "utf8");
    writeFileSync(
      join(copy, file),
      source.replace(from, () => to),
    );
  }
  const executable = join(folder, "vitrine-patched");
  await $`${process.execPath} scripts/build.ts --outfile=${executable} --commit=patched`.cwd(copy).quiet();
  return executable;
}
