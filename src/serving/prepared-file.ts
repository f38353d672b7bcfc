import { PageTally } from "../domain/analytics/view-deltas.ts";
import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { HeaderRule } from "../domain/deployments/headers-file.ts";
import { codingOf, decodedName } from "../domain/deployments/precompressed.ts";
import { encodePath } from "../domain/deployments/url-text.ts";
import { ownCopy } from "../domain/own-copy.ts";
import type { Encoding } from "../domain/ports/content.ts";
import type { StoredFile } from "../domain/ports/store/files.ts";
import { decodePath } from "../domain/request-target.ts";
import { SECOND } from "../domain/timestamp.ts";
import type { CompiledManifest } from "./deployments.ts";
import { isFingerprinted } from "./fingerprint.ts";
import { contentType, isPage } from "./http/content-type.ts";
import type { Route, Seen } from "./ports.ts";
import { canonicalLink, type ResponseFacts, type ResponseTemplates, responseTemplates } from "./response-headers.ts";

/** How often a representation is answered until it keeps what makes answers quick, and how many in a thread do. */
const OFTEN = 64;
const MAX_HOT = 500;
/** So many of these are asked whether they were answered lately, before a newcomer is told to come again. */
const MAX_LOOKS = 4;
/** What those keep, measured with pages of 4 kB. */
export const HOT_BYTES = MAX_HOT * 8 * 1024;

/**
 * What answers are copied from, in one thread, by kind: most of all sites are of the same few. Where there are rules for
 * header fields, kinds come from deployments and from strangers, whose paths that are not found may each meet other ones.
 */
export type SharedTemplates = BoundedMemo<string, ResponseTemplates>;

/** One representation of a file, and the answers that are made of it. */
export class Representation {
  /** Where hot content is kept. */
  readonly key: string;
  /**
   * What is answered often keeps responses without a body, which `new Response` takes status and fields from faster than
   * from an object, its body as a blob, which answers share, and its tag: more than all the rest takes.
   */
  #head: Response | null = null;
  #notModified: Response | null = null;
  #body: Blob | null = null;
  #etag: string | null = null;
  #answers = 0;
  static readonly #hot: Representation[] = [];
  static #hand = 0;

  constructor(
    readonly file: PreparedFile,
    readonly digest: string,
    readonly encoding: Encoding,
    readonly size: number,
  ) {
    this.key = encoding === "identity" ? digest : `${digest}${encoding}`;
  }

  /** 128 bits of the content's SHA-256. Every encoding is a representation of its own, hence has a tag of its own. */
  get etag(): string {
    if (this.#etag !== null) return this.#etag;
    const tag = this.digest.slice(0, 32);
    return this.encoding === "identity" ? `"${tag}"` : `"${tag}-${this.encoding}"`;
  }

  get lastModified(): number {
    return this.file.lastModified.at;
  }

  /** Returns the answer where all of it is kept here; else null. */
  respondAtOnce(): Response | null {
    if (this.#body === null || this.#head === null) return null;
    this.#answers += 1;
    return new Response(this.#body, this.#head);
  }

  /** Returns the answer with these bytes of the representation. */
  respond(body: Blob | Uint8Array<ArrayBuffer>): Response {
    const isHot = this.#isHot();
    if (isHot && this.#head !== null) return new Response(body, this.#head);
    const answer = new Response(body, this.file.templates.whole);
    this.#complete(answer.headers);
    if (isHot) {
      this.#head = new Response(null, answer);
      if (body instanceof Uint8Array) this.#body = new Blob([body]);
    }
    return answer;
  }

  notModified(): Response {
    const isHot = this.#isHot();
    if (isHot && this.#notModified !== null) return new Response(null, this.#notModified);
    const answer = new Response(null, this.file.templates.notModified);
    this.#setValidators(answer.headers);
    if (isHot) this.#notModified = new Response(null, answer);
    return answer;
  }

  /** Returns the fields of the answer, which are the caller's to change. */
  headers(): Headers {
    const headers = new Headers(this.file.templates.whole.headers);
    this.#complete(headers);
    return headers;
  }

  /** Sets what no two representations have in common. */
  #complete(headers: Headers): void {
    const { status, link } = this.file;
    if (link !== null) headers.set("link", link);
    if (status === 200) this.#setValidators(headers);
    if (this.encoding === "identity") headers.set("accept-ranges", "bytes");
    else headers.set("content-encoding", this.encoding);
  }

  #setValidators(headers: Headers): void {
    headers.set("etag", this.etag);
    headers.set("last-modified", this.file.lastModified.text);
  }

  /** Counts an answer, and returns whether to keep what makes the next ones quick. */
  #isHot(): boolean {
    this.#answers += 1;
    if (this.#answers !== OFTEN) return this.#answers > OFTEN;
    if (this.#takesPlace()) {
      this.#etag = this.etag;
      return true;
    }
    this.#answers = 0;
    return false;
  }

  /** Takes the place of one that was not answered since it was last looked at, if there is one among the next few. */
  #takesPlace(): boolean {
    for (let looked = 0; looked < MAX_LOOKS; looked++) {
      const place = Representation.#hand;
      Representation.#hand = (place + 1) % MAX_HOT;
      const former = Representation.#hot[place];
      if (former === undefined || former.#answers === OFTEN) {
        if (former !== undefined) former.#cool();
        Representation.#hot[place] = this;
        return true;
      }
      former.#answers = OFTEN;
    }
    return false;
  }

  #cool(): void {
    this.#answers = 0;
    this.#body = null;
    this.#etag = null;
    this.#head = null;
    this.#notModified = null;
  }
}

/** How a file came to be the answer. */
interface AskedFor {
  readonly route: Route;
  /** As it was sent, without the query. */
  readonly path: string;
  /** The page's one address when it was asked for by its file name; null otherwise. */
  readonly canonical: string | null;
  readonly scheme: string;
  /** Whether it answers only who wants a page. */
  readonly isForPages: boolean;
  /** The store's, as of before the file was looked up. */
  readonly generation: number;
}

/** A file as the answer to one path of one route. Made once, kept while it is asked for. */
export class PreparedFile {
  /** Of the route that it was made for: the address may lead somewhere else by now. */
  readonly routeKey: string;
  readonly seen: Seen;
  /** Of a page. Its path is that of the address, as it was sent. */
  readonly tally: PageTally | null;
  readonly lastModified: Moment;
  readonly identity: Representation;
  /** Sizes of all stored representations, the identity's included; null where that is the only one. */
  readonly sizes: Readonly<Partial<Record<Encoding, number>>> | null;
  /** Whether the encodings were all there will ever be, or only those of a generation. */
  readonly isComplete: boolean;
  readonly generation: number;
  /** What its answers have in common with those of its kind, and the one field that names the page itself. */
  readonly templates: ResponseTemplates;
  readonly link: string | null;
  /** What the fields that `_headers` sets take in memory, at most: most answers share them. */
  readonly fieldBytes: number;
  #encoded: Partial<Record<Encoding, Representation>> | null = null;

  /** Keeps nothing of the deployment: thousands of answers would hold on to a manifest each, far beyond their weight. */
  constructor(
    site: CompiledManifest,
    file: StoredFile,
    readonly status: number,
    { route, path, canonical, scheme, isForPages, generation }: AskedFor,
    shared: SharedTemplates,
  ) {
    const decoded = decodePath(path) as string;
    const rules = site.headerRules(decoded);
    const coding = codingOf(file.path, rules);
    const type = contentType(coding === null ? file.path : decodedName(file.path));
    this.routeKey = route.key;
    this.isComplete = file.isEncoded;
    this.generation = generation;
    this.tally = status === 200 && isPage(type) ? new PageTally(path) : null;
    this.seen = status === 404 ? "missing" : (this.tally ?? "asset");
    this.lastModified = moments.get(route.publishedAt, momentOf);
    const isStoredOnce = coding !== null || Object.keys(file.encodings).length === 0;
    this.sizes = isStoredOnce ? null : { identity: file.size, ...file.encodings };
    const facts = {
      route,
      status,
      contentType: type,
      // A stable address that a rule leads to such a file shows another one after the next deployment.
      isFingerprinted: status === 200 && isFingerprinted(file.path) && isFingerprinted(decoded),
      isForPages,
      canonical: this.tally ? canonicalAddress(route, canonical, decoded, scheme) : null,
      rules,
      coding,
    };
    // Where rules add to the page's own link, or take it away, or repeat its address, no other answer has the same.
    const isAlone = (facts.canonical !== null && rules.some(isAboutLinks)) || rules.some(({ isFilled }) => isFilled);
    this.templates = isAlone ? responseTemplates(facts) : sharedTemplates(shared, facts);
    this.link = isAlone || facts.canonical === null ? null : ownCopy(canonicalLink(facts.canonical));
    this.fieldBytes = rules.reduce((sum, rule) => sum + COPIES * sizeOf(rule), 0);
    this.identity = new Representation(this, file.digest, "identity", file.size);
  }

  /** `encoding` is one of those that are stored. */
  representation(encoding: Encoding): Representation {
    if (encoding === "identity") return this.identity;
    this.#encoded ??= {};
    this.#encoded[encoding] ??= new Representation(
      this,
      this.identity.digest,
      encoding,
      this.sizes?.[encoding] as number,
    );
    return this.#encoded[encoding];
  }
}

// --- internal ---

/** A moment as HTTP knows it. */
interface Moment {
  /** Whole seconds, in milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** All answers of a route have the same. */
const moments = new BoundedMemo<number, Moment>(1000);

/** HTTP dates know no milliseconds: cut, never rounded up, so that no date lies in the future. */
function momentOf(milliseconds: number): Moment {
  const at = Math.floor(milliseconds / SECOND) * SECOND;
  return { at, text: new Date(at).toUTCString() };
}

/** Returns the templates of all answers of its kind, without the canonical address. */
function sharedTemplates(shared: SharedTemplates, facts: ResponseFacts & { route: Route }): ResponseTemplates {
  const { route, status, contentType, isFingerprinted, isForPages, rules, coding } = facts;
  const ruled = rules.length === 0 ? [] : [route.deploymentId, ...rules.map(({ line }) => line)];
  const kind = [route.private, route.isLive, status, contentType, isFingerprinted, isForPages, coding, ...ruled];
  return shared.get(kind.join("\n"), () => responseTemplates({ ...facts, canonical: null }));
}

/** The fields are in the templates of the whole answer and of the 304. */
const COPIES = 2;

function sizeOf({ set }: HeaderRule): number {
  return set.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

function isAboutLinks(rule: HeaderRule): boolean {
  return rule.remove.includes("link") || rule.set.some(([name]) => name === "link");
}

/** On a host that is not the site's main one, every page names its twin there. */
function canonicalAddress(route: Route, canonical: string | null, path: string, scheme: string): string | null {
  if (route.canonicalHost !== null) return `${scheme}://${route.canonicalHost}${encodePath(canonical ?? path)}`;
  return canonical && encodePath(canonical);
}
