import { allowedValue, refusedHeader } from "./header-policy.ts";
import type { Warning } from "./manifest.ts";
import { parseGlob } from "./path-glob.ts";
import { excerpt, type RuleLine, ruleLines, Warnings } from "./rule-lines.ts";

/** One block of `_headers`: a path pattern, and what it sets or removes. Names are in lower case. */
export interface HeaderRule {
  readonly line: number;
  readonly path: string;
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** Every block is compared with the path of a page that is asked for the first time. */
const MAX_HEADER_RULES = 500;

/** Returns the rules of a `_headers` file and a warning for every line that is not one; a bad line never fails a deployment. */
export function parseHeaders(text: string): { rules: HeaderRule[]; warnings: Warning[] } {
  const warnings = new Warnings("_headers");
  const blocks: Block[] = [];
  let block: Block | null = null;
  for (const line of ruleLines(text, warnings)) {
    if (isPathLine(line.text)) {
      block = { line: line.number, path: line.text, set: [], remove: [] };
      if (judgePath(block, warnings)) blocks.push(block);
    } else if (block === null) {
      warnings.add(line.number, `a line with a path must come first: ${excerpt(line.text)}`);
    } else readHeader(block, line, warnings);
  }
  const beyond = blocks[MAX_HEADER_RULES];
  if (beyond !== undefined) {
    warnings.add(
      beyond.line,
      `a deployment may have ${MAX_HEADER_RULES} header rules; from here on they were left out`,
    );
  }
  const rules = blocks.slice(0, MAX_HEADER_RULES).filter((rule) => rule.set.length + rule.remove.length > 0);
  return { rules, warnings: warnings.list() };
}

// --- internal ---

interface Block {
  readonly line: number;
  readonly path: string;
  readonly set: (readonly [name: string, value: string])[];
  readonly remove: string[];
}

function isPathLine(text: string): boolean {
  return text.startsWith("/") || /^https?:\/\//i.test(text);
}

function judgePath(block: Block, warnings: Warnings): boolean {
  if (!block.path.startsWith("/")) {
    warnings.add(block.line, `rules for a host are not supported: the path must begin with /: ${excerpt(block.path)}`);
    return false;
  }
  const glob = parseGlob(block.path);
  if (typeof glob === "string") warnings.add(block.line, `${glob}: ${excerpt(block.path)}`);
  return typeof glob !== "string";
}

/** `Name: value` sets a header, `! Name` takes away what earlier rules and the server itself set. */
function readHeader(block: Block, { number, text }: RuleLine, warnings: Warnings): void {
  const removal = /^!\s*(\S+)$/.exec(text)?.[1];
  const colon = text.indexOf(":");
  const name = (removal ?? text.slice(0, Math.max(colon, 0))).trim().toLowerCase();
  const value = text.slice(colon + 1).trim();
  const wrong = judgeHeader(name, removal === undefined && colon === -1, removal === undefined ? value : null);
  if (wrong !== null) warnings.add(number, wrong.includes(":") ? wrong : `${wrong}: ${excerpt(text)}`);
  else if (removal !== undefined) block.remove.push(name);
  else {
    const allowed = allowedValue(name, value);
    if (allowed !== value) warnings.add(number, "includeSubDomains and preload were left out: they bind other hosts");
    if (allowed !== "") block.set.push([name, allowed]);
  }
}

function judgeHeader(name: string, isBare: boolean, value: string | null): string | null {
  if (isBare) return "neither a path, nor Name: value, nor ! Name";
  // RFC 9110 section 5.6.2: a field name is a token.
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return "this is not a header's name";
  const refused = refusedHeader(name);
  if (refused !== null) return `the header ${name} ${refused}`;
  if (value === null) return null;
  if (value === "") return "the header's value is missing; ! Name removes a header";
  return /^[\t\x20-\x7e]*$/.test(value) ? null : "the header's value may hold only printable ASCII characters";
}
