import { keptBundle } from "../kept-bundle/kept-bundle.ts";

/** A built file of the dashboard; the bodies are base64. */
export interface BundledFile {
  /** Its URL on the base host. */
  readonly path: string;
  readonly type: string;
  /** Start of its SHA-256, hex. */
  readonly digest: string;
  readonly bodies: { readonly identity: string; readonly br?: string; readonly gzip?: string; readonly zstd?: string };
}

export interface Bundle {
  /** The URL of each file that pages refer to: `style.css` → `/assets/style-1a2b3c4d.css`. */
  readonly paths: Readonly<Record<string, string>>;
  readonly files: readonly BundledFile[];
}

/** Returns the dashboard, built from public/. Runs as a macro. */
export function bundleDashboard(): Bundle {
  return keptBundle<Bundle>("dashboard");
}
