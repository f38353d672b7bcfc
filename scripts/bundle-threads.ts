// Makes dist/threads: one file for each kind of thread, from which the servers of tests start theirs.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "..");
const outdir = join(root, "dist", "threads");

const entries = [...new Glob("src/workers/*/entry.ts").scanSync(root)].sort();
const result = await Bun.build({
  entrypoints: entries.map((file) => join(root, file)),
  root: join(root, "src", "workers"),
  outdir: `${outdir}.${process.pid}`,
  target: "bun",
  // Names stay for stack traces.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // Bytecode halves the CPU time of a thread's start. Bun has it only for CommonJS, which cannot await at the top level.
  bytecode: true,
  format: "cjs",
});
for (const message of result.logs) console.error(message);
if (!result.success) process.exit(1);
rmSync(outdir, { recursive: true, force: true });
renameSync(`${outdir}.${process.pid}`, outdir);
