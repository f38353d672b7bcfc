import type { VisitExplanation } from "../../../api/types.ts";

/** Fields that follow from the content. */
const OF_THE_FILE: readonly string[] = ["content-type", "etag", "last-modified", "accept-ranges"];

/** What set a response header field, in words. */
export function sourceOf(name: string, source: VisitExplanation["header_sources"][string] | undefined): string {
  if (source) return `${source.file}, line ${source.line}`;
  return OF_THE_FILE.includes(name) ? "File" : "Server";
}
