import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { packTar } from "modern-tar";
import { bundleClient } from "./bundle.ts" with { type: "macro" };

/** The command-line client as npm installs it. */
export interface NpmPackage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As npm writes it into a lock file: `sha512-…`. */
  readonly integrity: string;
}

/** What the package tells about the server that it comes from. */
export interface ServerFacts {
  readonly version: string;
  readonly commit: string;
  readonly baseUrl: string;
}

/** Returns the npm package of a server's client. The same facts give the same bytes. */
export async function makeNpmPackage({ version, commit, baseUrl }: ServerFacts): Promise<NpmPackage> {
  const { program, licenses } = bundle;
  const tar = await packTar([
    entry("package.json", manifestOf(version, baseUrl)),
    entry(PROGRAM, headOf(commit, baseUrl) + program, 0o755),
    entry("LICENSE", licenses),
  ]);
  const bytes = new Uint8Array(await promisify(gzip)(tar, { level: 9 }));
  return { bytes, integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` };
}

// --- internal ---

const bundle = bundleClient();

const PROGRAM = "vitrine.mjs";

/** The time that npm gives every file of a package. */
const PACKED_AT = new Date("1985-10-26T08:15:00Z");

function entry(name: string, text: string, mode = 0o644) {
  const body = new TextEncoder().encode(text);
  return { header: { name: `package/${name}`, size: body.length, mode, mtime: PACKED_AT }, body };
}

function manifestOf(version: string, baseUrl: string): string {
  const manifest = {
    name: "vitrine",
    version,
    description: `Command-line client of ${baseUrl}`,
    homepage: baseUrl,
    license: "MIT",
    bin: { vitrine: PROGRAM },
    engines: { node: ">=20" },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Declares what the program reads as `VITRINE_…`: the build of the executable does the same. */
function headOf(commit: string, baseUrl: string): string {
  const [builtFrom, server] = [commit, baseUrl].map((text) => JSON.stringify(text));
  return `#!/usr/bin/env node\nconst VITRINE_COMMIT = ${builtFrom}, VITRINE_SERVER = ${server};\n`;
}
