import { mock } from "bun:test";
import { fileURLToPath } from "node:url";
import { ownCommand, workerEntry } from "../worker-entries.ts";
import { isNewerThanSources } from "./newer-than-sources.ts";

// Loaded before the test files (bunfig.toml): threads start from the bundles that `npm test` made. From the sources, each
// thread reads hundreds of files again, which took a third of the CPU time of a server's whole life in a test.

const BUNDLES = fileURLToPath(new URL("../../dist/threads/", import.meta.url));

/** Captured, because the mock replaces what the import is bound to. */
const fromSources = workerEntry;
let areFresh: boolean | null = null;

function bundledEntry(name: Parameters<typeof workerEntry>[0]): URL {
  // All bundles are made together: one tells for all.
  areFresh ??= isNewerThanSources(`${BUNDLES}${name}/entry.js`);
  return areFresh ? Bun.pathToFileURL(`${BUNDLES}${name}/entry.js`) : fromSources(name);
}

mock.module("../worker-entries.ts", () => ({ ownCommand, workerEntry: bundledEntry }));
