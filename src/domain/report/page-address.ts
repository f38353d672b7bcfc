import { canonicalPath, rewriteTarget } from "../rules/clean-urls.ts";

/** Returns the decoded path at which visitors find a file: the clean one, unless another file has it. */
export function addressOf(files: ReadonlySet<string>, file: string): string {
  const clean = canonicalPath(file);
  return clean !== null && rewriteTarget((name) => files.has(name), clean) === file ? clean : `/${file}`;
}
