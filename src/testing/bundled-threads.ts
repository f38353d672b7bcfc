import { mock } from "bun:test";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Glob } from "bun";
import { ownCommand, workerEntry } from "../worker-entries.ts";

// Loaded before the test files (bunfig.toml): threads start from the bundles that `npm test` made. From the sources, each
// thread reads hundreds of files again, which took a third of the CPU time of a server's whole life in a test.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BUNDLES = `${ROOT}dist/threads/`;

/** Captured, because the mock replaces what the import is bound to. */
const fromSources = workerEntry;
let areFresh: boolean | null = null;

function bundledEntry(name: Parameters<typeof workerEntry>[0]): URL {
  areFresh ??= isNewerThanSources(`${BUNDLES}${name}/entry.js`);
  return areFresh ? Bun.pathToFileURL(`${BUNDLES}${name}/entry.js`) : fromSources(name);
}

/** All bundles are made together: one tells for all. */
function isNewerThanSources(bundle: string): boolean {
  const madeAt = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [...new Glob("{src,public}/**/*").scanSync({ cwd: ROOT, absolute: true })];
  return sources.every((file) => /\.test\.tsx?$|\/testing\//.test(file) || statSync(file).mtimeMs <= madeAt);
}

mock.module("../worker-entries.ts", () => ({ ownCommand, workerEntry: bundledEntry }));
