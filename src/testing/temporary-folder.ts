import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterFile } from "./after-file.ts";

/** Makes an empty folder, which is removed with all that is in it after the tests of the file that runs. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
