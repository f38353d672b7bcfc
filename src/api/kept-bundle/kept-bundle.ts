import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CryptoHasher, Glob } from "bun";

/**
 * Returns what `scripts/bundle-NAME.ts` prints as JSON. Macros call it: when the executable is compiled, which then
 * contains the result, or when a thread of a checkout first imports it. Threads import it often and bundling takes half
 * a second, so the last result is kept in dist/ until a source changes.
 */
export function keptBundle<Bundle>(name: "dashboard" | "client"): Bundle {
  const script = `scripts/bundle-${name}.ts`;
  const file = join(ROOT, "dist", `${name}.json`);
  const sources = fingerprintOfSources(ROOT, script);
  const kept = readKept<Bundle>(file);
  if (kept?.sources === sources) return kept.bundle;
  const bundle = run<Bundle>(script);
  keep(file, { sources, bundle });
  return bundle;
}

/** Returns a text that changes when a possible source file of the bundle is added, removed or written. */
export function fingerprintOfSources(root: string, script: string): string {
  const files = ["package.json", "bun.lock", script, ...new Glob("{public,src}/**/*").scanSync(root)].sort();
  const hasher = new CryptoHasher("sha256");
  for (const file of files.filter((name) => !name.includes(".test."))) {
    const stats = statSync(join(root, file), { throwIfNoEntry: false });
    hasher.update(`${file} ${stats?.mtimeMs} ${stats?.size}\n`);
  }
  return hasher.digest("hex");
}

// --- internal ---

interface Kept<Bundle> {
  readonly sources: string;
  readonly bundle: Bundle;
}

const ROOT = join(import.meta.dir, "../../..");

/** A macro cannot bundle, so it starts a process that does. */
function run<Bundle>(script: string): Bundle {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(ROOT, script)]);
  if (!success) throw new Error(`${script} failed:\n${stderr}`);
  return JSON.parse(stdout.toString()) as Bundle;
}

function readKept<Bundle>(file: string): Kept<Bundle> | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Kept<Bundle>;
  } catch {
    return null;
  }
}

/**
 * Written under another name and renamed, because other threads may be reading. If the folder is not writable, each
 * thread makes its own.
 */
function keep(file: string, kept: Kept<unknown>): void {
  const partial = `${file}.${crypto.randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(partial, JSON.stringify(kept));
    renameSync(partial, file);
  } catch {
    rmSync(partial, { force: true });
  }
}
