import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Glob } from "bun";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let newest: number | null = null;

/** Returns whether a file was built after the last change of the program's sources. */
export function isNewerThanSources(file: string): boolean {
  newest ??= Math.max(...[...sources()].map((source) => statSync(source).mtimeMs));
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= newest;
}

function* sources(): Iterable<string> {
  for (const file of new Glob("{src,public}/**/*").scanSync({ cwd: ROOT, absolute: true })) {
    if (!/\.test\.tsx?$|\/testing\//.test(file)) yield file;
  }
}
