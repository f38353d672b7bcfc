import { exec } from "../adapters/exec.ts";

/** What the engine takes for the machine's memory, unless somebody says something else. */
const VARIABLE = "BUN_JSC_forceRAMSize";
const BYTES = 192 * 1024 * 1024;

/**
 * Sees to it that garbage is collected as on a small machine: a heap above 48 MiB may grow by half before, one above 96
 * by a quarter. The engine lets it double otherwise, in proportion to the machine's memory: a server with a cache of
 * 64 MiB took 292 MiB under Zipf's load, and takes 180 at the same speed; with less than this, answers cost more. The
 * engine reads it at its start alone, so that the executable starts itself over, once and as the first thing; where that
 * cannot be done, things stay as they are.
 */
export function collectEagerly(): void {
  if (!Bun.isStandaloneExecutable || process.env[VARIABLE] !== undefined) return;
  exec(process.execPath, process.argv.slice(2), { ...process.env, [VARIABLE]: String(BYTES) });
}
