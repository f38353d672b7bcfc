import { BoundedMemo } from "../bounded-memo.ts";
import type { FileFacts, Reference, ReferenceKind } from "../model/file-facts.ts";
import type { Finding } from "../model/report.ts";
import { quote } from "../quote.ts";
import { decodeOrNull, encodePath } from "../url-text.ts";
import { leadsSomewhere } from "./anchors.ts";
import { kindOfHost, type OwnHosts } from "./own-hosts.ts";
import { addressOf } from "./page-address.ts";
import type { Answers } from "./ports.ts";
import { isFollowed } from "./references.ts";
import { makeFindRightCase } from "./right-case.ts";
import type { Substitute } from "./substitutes.ts";
import { follow, targetOf } from "./verdict.ts";

/** A deployment whose links are judged. */
interface JudgedSite {
  readonly answers: Answers;
  readonly hosts: OwnHosts;
  /** The paths of the files that may be served. */
  readonly files: ReadonlySet<string>;
  readonly substitutes: ReadonlyMap<string, Substitute>;
  /** Returns the hashed ids of a page, in ascending order; null if they are unknown, or the file is no page. */
  anchorsOf(file: string): Uint32Array | null;
}

/** Returns what is wrong with the links and the secrets of a file. */
export type JudgeFile = (file: string, facts: FileFacts) => Generator<Finding>;

/** Distinct addresses whose verdict is remembered: the menus of all pages are the same. */
const MAX_REMEMBERED = 50_000;

/** Makes the judge of a deployment. Each distinct address is resolved once, by the function that serves visitors. */
export function makeJudge(site: JudgedSite): JudgeFile {
  const context = { ...site, findRightCase: makeFindRightCase(site.files) };
  const known: Known = new BoundedMemo(MAX_REMEMBERED);
  return function* judgeFile(file, facts) {
    const page = pageOf(site, file, facts);
    const substitute = site.substitutes.get(file);
    for (const reference of facts.references) {
      const isRelative = substitute !== undefined && hasRelativeMeaning(reference.address, facts);
      if (isRelative) yield relativeFinding(file, reference, substitute);
      if (isRelative && substitute.isNothingElse) continue;
      const { address } = reference;
      const judged = isWithinPage(address, facts)
        ? judgeFragment(site, page, address)
        : judgeAddress(context, known, page, reference);
      for (const { code, message, target } of judged) yield { code, file, line: reference.line, message, target };
    }
    for (const { name, start, line } of facts.secrets) {
      yield { code: "secret", file, line, message: `this looks like ${name}: ${start}…`, target: start };
    }
    if (facts.problem !== null) yield notChecked(file, facts.problem);
  };
}

export function notChecked(file: string, why: string): Finding {
  return { code: "not_checked", file, line: 0, message: `not checked as a whole: ${why}`, target: null };
}

// --- internal ---

type Judged = readonly (Pick<Finding, "code" | "message"> & { readonly target: string })[];

/** The judgement of an address without its fragment. */
interface JudgedAddress {
  readonly found: Judged;
  /** The page that is shown in the end, and the fragment to which redirects lead; null for none. */
  readonly file: string | null;
  readonly fragment: string | null;
  readonly target: string;
}

type Known = BoundedMemo<string, JudgedAddress>;

type Context = JudgedSite & { readonly findRightCase: ReturnType<typeof makeFindRightCase> };

interface Page {
  readonly file: string;
  /** Relative addresses begin here. */
  readonly base: URL;
  /** Pages with the same folder and no `<base>` read addresses alike. */
  readonly folder: string;
}

const NOTHING: Judged = [];
const NO_FILE = { file: null, fragment: null, target: "" } as const;

function pageOf({ hosts, files }: JudgedSite, file: string, { base }: FileFacts): Page {
  const address = encodePath(addressOf(files, file));
  const own = new URL(`https://${hosts.siteName}.${hosts.sitesDomain}${address}`);
  const parsed = base === null ? null : URL.parse(base, own.href);
  const isUsable = parsed !== null && /^https?:$/.test(parsed.protocol);
  return isUsable
    ? { file, base: parsed, folder: parsed.href }
    : { file, base: own, folder: address.slice(0, address.lastIndexOf("/") + 1) };
}

/** An address that begins with one slash means the same on every page. One with a query alone depends on the page's name. */
function keyOf({ file, folder, base }: Page, kind: ReferenceKind, address: string): string {
  if (/^\/(?![/\\])/.test(address)) return `${kind} ${base.host} ${address}`;
  return /^[\s?]|^$/.test(address) ? `${kind} ${file}\n${address}` : `${kind} ${folder}\n${address}`;
}

/** Fragments, and the page itself: a browser requests nothing for them. */
function isWithinPage(address: string, { base }: FileFacts): boolean {
  return base === null && (address === "" || address.startsWith("#"));
}

function judgeFragment(site: JudgedSite, { file }: Page, address: string): Judged {
  return isFragmentMissing(site, file, address) ? [brokenFragment(file, address, address)] : NOTHING;
}

/** The verdict is the same for all fragments of an address, of which a reference has many more. */
function judgeAddress(context: Context, known: Known, page: Page, { kind, address }: Reference): Judged {
  const start = address.indexOf("#");
  const whole = start === -1 ? address : address.slice(0, start);
  const fragment = start === -1 ? "" : address.slice(start);
  const judged = known.get(keyOf(page, kind, whole), () => judgeWhole(context, page, kind, whole));
  // That of a redirect wins (RFC 9110 section 10.2.2).
  const named = judged.fragment ?? fragment;
  const { file } = judged;
  const found = judged.found.map((one) => ({ ...one, target: one.target + fragment }));
  const isBroken = kind === "link" && file !== null && isFragmentMissing(context, file, named);
  return isBroken ? [...found, brokenFragment(file, named, judged.target + fragment)] : found;
}

function judgeWhole(context: Context, { base }: Page, kind: ReferenceKind, address: string): JudgedAddress {
  const url = URL.parse(address, base.href);
  if (url === null || !/^https?:$/.test(url.protocol)) return { found: NOTHING, ...NO_FILE };
  const host = kindOfHost(context.hosts, url.hostname);
  const mixed = isMixed(context.hosts, kind, url, host) ? [mixedContent(url, host)] : NOTHING;
  if (host === "own") return judgeOwn(context, kind, url, mixed);
  return { found: host === "other" ? mixed : [localAddress(url, host)], ...NO_FILE };
}

function judgeOwn(context: Context, kind: ReferenceKind, url: URL, mixed: Judged): JudgedAddress {
  const { verdict, file, fragment } = follow(context, kind, url);
  const target = targetOf(url);
  if (verdict === null) return { found: mixed, file, fragment, target };
  const { code, message, rightAddress } = verdict;
  return { found: [...mixed, { code, message, target: rightAddress ?? target }], file, fragment, target };
}

function isFragmentMissing(site: JudgedSite, file: string, fragment: string): boolean {
  if (fragment.length < 2) return false;
  const anchors = site.anchorsOf(file);
  return anchors !== null && !leadsSomewhere(fragment.slice(1), anchors);
}

function brokenFragment(file: string, fragment: string, target: string): Judged[number] {
  return { code: "broken_fragment", message: `${file} has no element with the id ${quote(idOf(fragment))}`, target };
}

function idOf(fragment: string): string {
  return decodeOrNull(fragment.slice(1)) ?? fragment.slice(1);
}

/** Browsers trust loopback addresses, also over HTTP. */
function isMixed(hosts: OwnHosts, kind: ReferenceKind, url: URL, host: string): boolean {
  return hosts.isSecure && url.protocol === "http:" && host !== "local" && !isFollowed(kind);
}

function mixedContent(url: URL, host: string): Judged[number] {
  const target = host === "own" ? targetOf(url) : url.href;
  return {
    code: "mixed_content",
    message: "it is loaded over http:, which browsers refuse on a page of HTTPS",
    target,
  };
}

function localAddress(url: URL, host: "local" | "preview"): Judged[number] {
  const message =
    host === "local"
      ? `${url.host} is the visitor's own machine`
      : `${url.hostname} shows a preview or one deployment of another site`;
  return { code: "local_address", message, target: url.href };
}

/** Returns whether an address means another one where the page is shown in another folder. */
function hasRelativeMeaning(address: string, { base }: FileFacts): boolean {
  return dependsOnPage(address) && (base === null || base.trim() === "" || dependsOnPage(base));
}

/** Returns whether an address depends on the folder of the page. */
function dependsOnPage(address: string): boolean {
  return !/^[\u0000-\u0020]*(?:[/\\#]|$|[a-z][a-z0-9+.-]*:)/i.test(address);
}

function relativeFinding(file: string, { line, address }: Reference, { reason }: Substitute): Finding {
  const message = `the page is also shown for ${reason}, where this relative URL leads elsewhere`;
  return { code: "relative_in_substitute", file, line, message, target: address };
}
