import type { VisitExplanation } from "../../../api/types.ts";

/** Fields that depend on the content. */
const OF_THE_FILE: readonly string[] = ["content-type", "etag", "last-modified", "accept-ranges"];

/** Describes the source of a response header field. */
export function sourceOf(name: string, source: VisitExplanation["header_sources"][string] | undefined): string {
  if (source) return `${source.file}, line ${source.line}`;
  return OF_THE_FILE.includes(name) ? "File" : "Server";
}

/** Says which caching fields of `_headers` are not sent, and why; undefined for none. */
export function leftOutOf({ headers_left_out, file }: VisitExplanation): string | undefined {
  const fields = Object.entries(headers_left_out).map(([name, source]) => `${name} (${sourceOf(name, source)})`);
  return fields.length === 0 ? undefined : `Not sent, because ${file} has another URL: ${fields.join(", ")}.`;
}
