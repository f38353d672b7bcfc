import { join } from "node:path";

/** One file of the dashboard as it was built; the bodies are base64. */
export interface BundledFile {
  /** Its address on the base host. */
  readonly path: string;
  readonly type: string;
  /** Start of its SHA-256, hex. */
  readonly digest: string;
  readonly bodies: { readonly identity: string; readonly br?: string; readonly gzip?: string; readonly zstd?: string };
}

export interface Bundle {
  /** The address of each file that pages name: `style.css` → `/assets/style-1a2b3c4d.css`. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly files: readonly BundledFile[];
}

/**
 * Returns the dashboard, built from public/. Runs as a macro: when the executable is compiled, which then contains the
 * result, or when a process of a checkout first imports it. A macro may not bundle, so it starts a process that does.
 */
export function bundleDashboard(): Bundle {
  const script = join(import.meta.dir, "../../../scripts/bundle-dashboard.ts");
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
  if (!success) throw new Error(`the dashboard cannot be built:\n${stderr}`);
  return JSON.parse(stdout.toString()) as Bundle;
}
