import type { HeaderRule, Warning } from "../model/manifest.ts";
import { fieldSize, MAX_FIELDS_SIZE } from "./header-matcher.ts";
import { allowedValue, refusedHeader } from "./header-policy.ts";
import { type Glob, globNames, parseGlob } from "./path-glob.ts";
import { excerpt, type RuleLine, ruleLines, Warnings } from "./rule-lines.ts";

/** Every block is compared with each new path. */
const MAX_HEADER_RULES = 500;
/** Text between two stars is searched in the whole path. */
const MAX_STAR_RULES = 20;

/** Parses a `_headers` file. An invalid line becomes a warning and never fails a deployment. */
export function parseHeaders(text: string): { rules: HeaderRule[]; warnings: Warning[] } {
  const warnings = new Warnings("_headers");
  const blocks: Block[] = [];
  let block: Block | null = null;
  for (const line of ruleLines(text, warnings)) {
    if (isPathLine(line.text)) {
      block = readPath(line, warnings);
      if (block.glob !== null) blocks.push(block);
    } else if (block === null) {
      warnings.add(line.number, `a line with a path must come first: ${excerpt(line.text)}`);
    } else readHeader(block, line, warnings);
  }
  const rules = withinLimits(blocks, warnings).filter(({ set, remove }) => set.length + remove.length > 0);
  return {
    rules: rules.map(({ line, path, set, remove }) => ({ line, path, set, remove })),
    warnings: warnings.list(),
  };
}

// --- internal ---

interface Block {
  readonly line: number;
  readonly path: string;
  /** Null if the path is invalid; its headers are validated anyway. */
  readonly glob: Glob | null;
  readonly set: (readonly [name: string, value: string])[];
  readonly remove: string[];
  size: number;
}

function isPathLine(text: string): boolean {
  return text.startsWith("/") || /^https?:\/\//i.test(text);
}

function readPath({ number, text }: RuleLine, warnings: Warnings): Block {
  const glob = text.startsWith("/")
    ? parseGlob(text)
    : "rules for a host are not supported: the path must begin with /";
  if (typeof glob === "string") warnings.add(number, `${glob}: ${excerpt(text)}`);
  return { line: number, path: text, glob: typeof glob === "string" ? null : glob, set: [], remove: [], size: 0 };
}

function withinLimits(blocks: readonly Block[], warnings: Warnings): readonly Block[] {
  const beyond = blocks[MAX_HEADER_RULES];
  if (beyond) warnings.add(beyond.line, tooMany(MAX_HEADER_RULES, "header rules"));
  const starred = blocks.filter(({ glob }) => (glob?.stars?.middles.length ?? 0) > 0);
  const firstStarred = starred[MAX_STAR_RULES];
  if (firstStarred) warnings.add(firstStarred.line, tooMany(MAX_STAR_RULES, "paths with several *"));
  const leftOut = new Set(starred.slice(MAX_STAR_RULES));
  return blocks.slice(0, MAX_HEADER_RULES).filter((block) => !leftOut.has(block));
}

function tooMany(limit: number, what: string): string {
  return `a deployment may have ${limit} ${what}; from here on they were left out`;
}

/** `Name: value` sets a header. `! Name` removes it, whether earlier rules or the server set it. */
function readHeader(block: Block, { number, text }: RuleLine, warnings: Warnings): void {
  const removal = /^!\s*(\S+)$/.exec(text)?.[1];
  const colon = text.indexOf(":");
  if (removal === undefined && colon === -1) {
    warnings.add(number, `neither a path, nor Name: value, nor ! Name: ${excerpt(text)}`);
    return;
  }
  const name = (removal ?? text.slice(0, Math.max(colon, 0))).trim().toLowerCase();
  const value = removal === undefined ? text.slice(colon + 1).trim() : null;
  const problem = headerProblem(name, block.path, value);
  if (problem !== null) warnings.add(number, problem.includes(":") ? problem : `${problem}: ${excerpt(text)}`);
  else if (block.glob === null) return;
  else if (!takeRoom(block, fieldSize(block.glob, name, value ?? ""))) {
    warnings.add(number, `a response may have ${MAX_FIELDS_SIZE / 1024} KiB of header fields: the line was left out`);
  } else if (value === null) block.remove.push(name);
  else setHeader(block, block.glob, { line: number, name, value }, warnings);
}

function takeRoom(block: Block, size: number): boolean {
  if (block.size + size > MAX_FIELDS_SIZE) return false;
  block.size += size;
  return true;
}

interface Field {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

function setHeader({ set }: Block, glob: Glob, { line, name, value }: Field, warnings: Warnings): void {
  const allowed = allowedValue(name, value);
  if (allowed !== value) warnings.add(line, "includeSubDomains and preload were left out: they bind other hosts");
  if (/:splat\b/.test(value) && !globNames(glob).includes("splat")) {
    warnings.add(line, ":splat was left as it is: it stands for the * of a path that has exactly one");
  }
  if (allowed !== "") set.push([name, allowed]);
}

function headerProblem(name: string, path: string, value: string | null): string | null {
  // RFC 9110 section 5.6.2: a field name is a token.
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return "this is not a header's name";
  const refused = refusedHeader(name, path, value);
  if (refused !== null) return `the header ${name} ${refused}`;
  if (value === null) return null;
  if (value === "") return "the header's value is missing; ! Name removes a header";
  return /^[\t\x20-\x7e]*$/.test(value) ? null : "the header's value may hold only printable ASCII characters";
}
