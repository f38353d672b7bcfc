import type { Listed } from "./operation-groups.ts";

/** Returns the command that calls an operation, with placeholders in capitals. */
export function curlCommand({ method, path, security, requestBody, responses }: Listed, base: string): string {
  const url = base + path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const content = requestBody?.content ?? {};
  const example = content["application/json"]?.example;
  const parts = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${url}`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(example === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(example))}`]),
    ...(content["multipart/form-data"] ? ["-F file=@site.zip"] : []),
    ...(responses[200]?.content?.["application/zip"] ? ["-o site.zip"] : []),
  ];
  return parts.join(" \\\n  ");
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
