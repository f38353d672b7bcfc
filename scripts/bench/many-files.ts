import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "./sites.ts";
import { timed } from "./test-server.ts";

export const FILE_BYTES = 12_000;

/** A site of many small pages in a folder. */
interface ManyFiles {
  /** Overwrites these pages. Every run has other ones. */
  write(run: string, indexes: Iterable<number>): void;
  /** Returns the path of an archive of all pages. */
  zip(name: string): string;
}

export function manyFiles(folder: string): ManyFiles {
  const site = join(folder, "site");
  return {
    write(run, indexes) {
      for (const index of indexes) {
        const path = join(site, `section-${index % 50}`);
        mkdirSync(path, { recursive: true });
        writeFileSync(join(path, `page-${index}.html`), pageOf(FILE_BYTES, `${run} ${index}`));
      }
    },
    zip(name) {
      const archive = join(folder, `${name}.zip`);
      timed(["zip", "-qr", archive, "."], { cwd: site });
      return archive;
    },
  };
}
