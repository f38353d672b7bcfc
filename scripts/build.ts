// Builds dist/vitrine: a single file that runs without Bun or Node.
//   npm run build [-- --target=bun-linux-arm64] [--outfile=FILE] [--commit=NAME]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { $, Glob } from "bun";

const root = join(import.meta.dir, "..");
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    outfile: { type: "string", default: join(root, "dist", "vitrine") },
    commit: { type: "string" },
  },
});

/** The commit of the build, with `-dirty` if files differ from it. A tarball without history has none. */
async function commit(): Promise<string> {
  const head = await $`git rev-parse --short=10 HEAD`.cwd(root).nothrow().quiet();
  if (head.exitCode !== 0) return "unknown";
  const changes = await $`git status --porcelain`.cwd(root).nothrow().quiet();
  return head.stdout.toString().trim() + (changes.stdout.length > 0 ? "-dirty" : "");
}

/** What the executable runs on, as releases name it: `linux-x64-musl`. */
function platform(): string {
  if (values.target) return values.target.replace(/^bun-|-baseline$/g, "");
  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
  const musl = process.platform === "linux" && !glibcVersionRuntime ? "-musl" : "";
  return `${process.platform}-${process.arch}${musl}`;
}

// The program and the entry files of its threads. The bundler does not find the latter by itself.
const threads = [...new Glob("src/workers/*/entry.ts").scanSync(root)].sort();
mkdirSync(join(root, "dist"), { recursive: true });

const result = await Bun.build({
  entrypoints: ["src/main.ts", ...threads].map((file) => join(root, file)),
  root: join(root, "src"),
  target: "bun",
  // Names are kept, so that a stack trace in a log can be read without a source map.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // Halves the time to start: `vitrine version` takes 25 ms instead of 60.
  bytecode: true,
  format: "esm",
  define: {
    VITRINE_COMMIT: JSON.stringify(values.commit ?? (await commit())),
    VITRINE_PLATFORM: JSON.stringify(platform()),
  },
  compile: {
    outfile: values.outfile,
    ...(values.target ? { target: values.target as Bun.Build.CompileTarget } : {}),
    // Files in the working directory must not change how the executable runs.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
});

for (const message of result.logs) console.error(message);
if (!result.success) process.exit(1);
console.error(`Built ${values.outfile}`);
