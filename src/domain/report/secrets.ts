import type { FoundSecret } from "../model/file-facts.ts";
import { secretPrefix } from "../tokens/secret.ts";
import { Lines } from "./lines.ts";

/** Returns the secrets in a text, by the prefix and the length that their makers document. */
export function findSecrets(text: string): readonly FoundSecret[] {
  const lines = new Lines(text);
  return RULES.flatMap((rule) => findBy(rule, text, lines)).slice(0, MAX_SECRETS);
}

// --- internal ---

/** More in one file are listed by nobody. */
const MAX_SECRETS = 100;
const SHOWN_CHARACTERS = 8;

interface SecretRule {
  readonly name: string;
  /** Texts without any of them are not searched. */
  readonly prefixes: readonly string[];
  readonly pattern: RegExp;
  /** Confirms what the pattern found. */
  readonly check?: (value: string) => boolean;
}

/**
 * The known secrets, with where their makers describe them:
 *
 * - AWS: IAM user guide, "IAM identifiers"
 * - GitHub: "GitHub's token formats"; GitLab: "Token prefixes"; Slack: "Token types"
 * - Stripe: "API keys"; npm: "About access tokens"
 * - OpenAI and Anthropic: the keys of their consoles; the OpenAI key has its mark in the middle
 * - private keys: RFC 7468 sections 10 and 11, and the older forms of OpenSSL and OpenSSH
 * - Vitrine: `newSecret`, with a checksum
 */
const RULES: readonly SecretRule[] = [
  rule("an AWS access key", ["AKIA", "ASIA"], "(?:AKIA|ASIA)[A-Z0-9]{16}"),
  rule("a GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "gh[pousr]_[A-Za-z0-9]{36}"),
  rule("a GitHub token", ["github_pat_"], "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
  rule("a GitLab token", ["glpat-"], "glpat-(?:[\\w-]{20}|[\\w-]{27,300}\\.[0-9a-z]{2}\\.[0-9a-z]{9})"),
  rule("a Slack token", ["xoxb-", "xoxp-"], "xox[bp](?:-\\d{10,13}){2,3}-[A-Za-z0-9]{24,32}"),
  rule("a Stripe live key", ["sk_live_", "rk_live_"], "[sr]k_live_[A-Za-z0-9]{24,99}"),
  rule("an npm token", ["npm_"], "npm_[A-Za-z0-9]{36}"),
  rule("an OpenAI key", ["T3BlbkFJ"], "sk-[\\w-]{20,90}T3BlbkFJ[\\w-]{20,90}"),
  rule("an Anthropic key", ["sk-ant-"], "sk-ant-[a-z]{3,5}\\d{2}-[\\w-]{95}"),
  {
    name: "a private key",
    prefixes: ["PRIVATE KEY"],
    // A text about keys has no 40 characters of one. In JSON and scripts, line ends are escaped.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s)(?:(?:\\[rn]|\s)|[A-Za-z-]{1,40}: [^\n]{0,200}\n){0,20}(?:[A-Za-z0-9+/=](?:\\[rn]|\s){0,4}){40}/g,
  },
  {
    ...rule("a credential of this server", ["vts_", "vtd_", "vtv_", "vtr_"], "vt[sdvr]_[0-9A-Za-z]{33}"),
    check: (value) => secretPrefix(value) !== null,
  },
];

/** Values in the makers' documentation. */
const EXAMPLES = /EXAMPLE|x{8}|16C7e42F292c6912E7710c838347Ae178B4a|4eC39HqLyjWDarjtT1zdp7dc/i;

function rule(name: string, prefixes: readonly string[], pattern: string): SecretRule {
  return { name, prefixes, pattern: new RegExp(`\\b${pattern}(?![\\w-])`, "g") };
}

function findBy({ name, prefixes, pattern, check }: SecretRule, text: string, lines: Lines): readonly FoundSecret[] {
  if (!prefixes.some((prefix) => text.includes(prefix))) return [];
  const found: FoundSecret[] = [];
  for (const { 0: value, index } of text.matchAll(pattern)) {
    if (found.length >= MAX_SECRETS) break;
    if (EXAMPLES.test(value) || check?.(value) === false) continue;
    found.push({ name, start: value.slice(0, SHOWN_CHARACTERS), line: lines.at(index) });
  }
  return found;
}
