import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CryptoHasher, Glob } from "bun";

/** A built file of the dashboard; the bodies are base64. */
export interface BundledFile {
  /** Its address on the base host. */
  readonly path: string;
  readonly type: string;
  /** Start of its SHA-256, hex. */
  readonly digest: string;
  readonly bodies: { readonly identity: string; readonly br?: string; readonly gzip?: string; readonly zstd?: string };
}

export interface Bundle {
  /** The URL of each file that pages refer to: `style.css` → `/assets/style-1a2b3c4d.css`. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly files: readonly BundledFile[];
}

/**
 * Returns the dashboard, built from public/. Runs as a macro: when the executable is compiled, which then contains the
 * result, or when a thread of a checkout first imports it. Threads import it often and building takes half a second, so
 * the last result is kept in dist/ until a source changes.
 */
export function bundleDashboard(): Bundle {
  const sources = fingerprintOfSources(ROOT);
  const kept = keptBundle();
  if (kept?.sources === sources) return kept.bundle;
  const bundle = build();
  keep({ sources, bundle });
  return bundle;
}

/** Returns a text that changes when a possible source file of the bundle is added, removed or written. */
export function fingerprintOfSources(root: string): string {
  const files = ["bun.lock", "scripts/bundle-dashboard.ts", ...new Glob("{public,src}/**/*").scanSync(root)].sort();
  const hasher = new CryptoHasher("sha256");
  for (const file of files.filter((name) => !name.includes(".test."))) {
    const stats = statSync(join(root, file), { throwIfNoEntry: false });
    hasher.update(`${file} ${stats?.mtimeMs} ${stats?.size}\n`);
  }
  return hasher.digest("hex");
}

// --- internal ---

interface KeptBundle {
  readonly sources: string;
  readonly bundle: Bundle;
}

const ROOT = join(import.meta.dir, "../../..");
const KEPT = join(ROOT, "dist", "dashboard.json");

/** A macro cannot bundle, so it starts a process that does. */
function build(): Bundle {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(ROOT, "scripts/bundle-dashboard.ts")]);
  if (!success) throw new Error(`the dashboard cannot be built:\n${stderr}`);
  return JSON.parse(stdout.toString()) as Bundle;
}

function keptBundle(): KeptBundle | null {
  try {
    return JSON.parse(readFileSync(KEPT, "utf8")) as KeptBundle;
  } catch {
    return null;
  }
}

/**
 * Written under another name and renamed, because other threads may be reading. If the folder is not writable, each
 * thread builds its own.
 */
function keep(kept: KeptBundle): void {
  const partial = `${KEPT}.${crypto.randomUUID()}`;
  try {
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(partial, JSON.stringify(kept));
    renameSync(partial, KEPT);
  } catch {
    rmSync(partial, { force: true });
  }
}
