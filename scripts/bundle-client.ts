// Bundles the command-line client for Node.js and prints it as JSON, for src/api/downloads/bundle.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientBundle } from "../src/api/downloads/bundle.ts";

const root = join(import.meta.dir, "..");

if (import.meta.main) {
  const { program, modules } = await buildClient();
  console.log(JSON.stringify({ program, licenses: licensesOf(modules) } satisfies ClientBundle));
}

/** Returns the client as one ES module, and the source files that it consists of. */
export async function buildClient(): Promise<{ readonly program: string; readonly modules: readonly string[] }> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(root, "src/client-main.ts")],
    root,
    target: "node",
    format: "esm",
    // Names are kept, so that a stack trace can be read.
    minify: { whitespace: true, syntax: true, identifiers: false },
    metafile: true,
  });
  const modules = Object.keys(metafile?.inputs ?? {}).sort();
  const [program] = await Promise.all(outputs.map((output) => output.text()));
  if (program === undefined || outputs.length > 1) throw new Error(`expected one file, got ${outputs.length}`);
  return { program, modules };
}

/** Returns the project's license and those of the bundled packages, which require to be passed on. */
function licensesOf(modules: readonly string[]): string {
  const packages = new Set(modules.flatMap((module) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []));
  const texts = [...packages].map((name) => `${name}\n\n${licenseIn(join(root, "node_modules", name))}`);
  return [licenseIn(root), "The program contains these packages:", ...texts].join("\n\n---\n\n");
}

function licenseIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no license`);
  return readFileSync(join(folder, file), "utf8").trim();
}
