import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
        writeFileSync(join(path, `page-${index}.html`), content(`${run} ${index}`));
      }
    },
    zip(name) {
      const archive = join(folder, `${name}.zip`);
      timed(["zip", "-qr", archive, "."], { cwd: site });
      return archive;
    },
  };
}

/** Text that compresses about as well as HTML and differs for each file and run. */
function content(seed: string): string {
  let text = `<!doctype html><title>${seed}</title>`;
  for (let line = 0; text.length < FILE_BYTES; line++)
    text += `<p class="line">${Bun.hash(`${seed}${line}`).toString(36)} of ${seed}</p>\n`;
  return text;
}
