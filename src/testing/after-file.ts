import { afterAll } from "bun:test";

// Loaded before the test files (bunfig.toml). A hook of such a file runs after each test file. One that a helper registers
// while it loads runs only after the first file that imports it, because test files share their modules.

const endings: (() => void)[] = [];

afterAll(() => {
  for (const end of endings.splice(0).reverse()) end();
});

/** Calls `end` after the tests of the file that runs; what was registered last ends first. */
export function afterFile(end: () => void): void {
  endings.push(end);
}
