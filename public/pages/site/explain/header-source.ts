import type { VisitExplanation } from "../../../api/types.ts";

/** Fields that depend on the content. */
const OF_THE_FILE: readonly string[] = ["content-type", "etag", "last-modified", "accept-ranges"];

/** Describes the source of a response header field. */
export function sourceOf(name: string, source: VisitExplanation["header_sources"][string] | undefined): string {
  if (source) return `${source.file}, line ${source.line}`;
  return OF_THE_FILE.includes(name) ? "File" : "Server";
}
