import type { VisitExplanation } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { optionNumber } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { Style } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";

export async function explainVisit(
  terminal: Terminal,
  site: string,
  url: string,
  options: ClientOptions & { deployment?: string },
): Promise<void> {
  const query = new URLSearchParams({ path: url });
  const deployment = optionNumber("--deployment", options.deployment);
  if (deployment !== null) query.set("deployment", String(deployment));
  const client = await connect(terminal, options);
  const explanation = await client.get<VisitExplanation>(`${path`/sites/${site}/explain`}?${query}`);
  if (options.json) return terminal.json(explanation);
  terminal.data(formatExplanation(terminal.dataStyle, explanation));
}

// --- internal ---

function formatExplanation(style: Style, explanation: VisitExplanation): string {
  const { url, status, reason, file, rule, header_lines, headers } = explanation;
  const { location, ...others } = headers;
  const decided: readonly (readonly [string, string | null])[] = [
    ["access", gateOf(explanation)],
    ["status", `${status}${location === undefined ? "" : `, to ${location}`}`],
    ["reason", reason],
    ["rule", rule && `_redirects, line ${rule.line}: ${rule.text}`],
    ["file", file],
    ["deployment", String(explanation.deployment_number)],
    ["_headers", header_lines.length > 0 ? `line ${header_lines.join(", ")}` : null],
    ["not sent", leftOut(explanation)],
  ];
  const rows = decided.filter((row): row is readonly [string, string] => row[1] !== null);
  return [
    style.bold(printable(url)),
    ...rows.map(([name, text]) => `  ${name.padEnd(11)} ${printable(text)}`),
    ...Object.entries(others).map(([name, value]) => style.dim(`  ${name}: ${printable(value)}`)),
  ].join("\n");
}

function leftOut({ headers_left_out, file }: VisitExplanation): string | null {
  const fields = Object.entries(headers_left_out).map(([name, { line }]) => `${name} of line ${line}`);
  return fields.length === 0 ? null : `${fields.join(", ")}: ${file} has another URL, which decides on its caching`;
}

function gateOf({ private: isPrivate, frozen }: VisitExplanation): string | null {
  if (frozen) return "frozen by the operator: visitors get 403";
  return isPrivate ? "private: visitors sign in, and must be readers of the site" : null;
}
