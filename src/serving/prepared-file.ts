import { PageTally } from "../domain/analytics/view-deltas.ts";
import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { HeaderRule } from "../domain/model/manifest.ts";
import type { EncodedContent, Encoding, Encodings } from "../domain/ports/store/encodings.ts";
import { withoutBorrowedCaching } from "../domain/rules/caching-fields.ts";
import { hasExtension } from "../domain/rules/extensions.ts";
import type { MatchingHeaderRule } from "../domain/rules/header-matcher.ts";
import { codingOf, decodedName } from "../domain/rules/precompressed.ts";
import { SECOND } from "../domain/timestamp.ts";
import { encodePath } from "../domain/url-text.ts";
import type { CompiledManifest } from "./deployments.ts";
import { isFingerprinted } from "./fingerprint.ts";
import { contentType } from "./http/content-type.ts";
import type { Route, Seen } from "./ports.ts";
import { isSubstitute, type Resolution } from "./resolve.ts";
import { fieldsLeftOut, fileHeaders } from "./response-headers.ts";
import type { SiteVisit } from "./visit.ts";

/** A file in one encoding, with the header fields of its responses, which `new Response` copies. */
export class Representation {
  /** 128 bits of the SHA-256 of the bytes that are sent, encoded or not. */
  readonly etag: string;
  readonly digest: string;
  readonly size: number;
  readonly #headers: Headers;

  /** `headers` are the fields of the file, or a copy of another representation's. They are changed here. */
  constructor(
    readonly file: PreparedFile,
    headers: Headers,
    { digest, size }: EncodedContent,
    encoding: Encoding,
  ) {
    this.digest = digest;
    this.size = size;
    this.etag = `"${digest.slice(0, 32)}"`;
    this.#headers = headers;
    if (file.status === 200) {
      headers.set("etag", this.etag);
      headers.set("last-modified", file.modified.text);
    }
    if (encoding === "identity") headers.set("accept-ranges", "bytes");
    else {
      headers.delete("accept-ranges");
      headers.set("content-encoding", encoding);
    }
  }

  get lastModified(): number {
    return this.file.modified.at;
  }

  /** Returns the response with the whole representation. */
  respond(body: Blob | Uint8Array<ArrayBuffer>): Response {
    return new Response(body, { status: this.file.status, headers: this.#headers });
  }

  notModified(): Response {
    const response = new Response(null, { status: 304, headers: this.#headers });
    for (const name of this.file.leftOut) response.headers.delete(name);
    return response;
  }

  /** Returns a copy of the header fields of the whole. */
  headers(): Headers {
    return new Headers(this.#headers);
  }
}

type FileResolution = Resolution & { readonly kind: "file" };

interface Preparation {
  readonly scheme: string;
  /** The store's generation before the file was looked up. */
  readonly generation: number;
}

/**
 * A file as the response to one path of one route. It does not refer to its deployment, because thousands of prepared
 * files would each keep a manifest in memory.
 */
export class PreparedFile {
  /** The key of the route for which it was prepared. Its URL may show something else by now. */
  readonly routeKey: string;
  readonly status: number;
  readonly seen: Seen;
  readonly modified: HttpDate;
  /** Sizes of all stored representations, including identity; null if that is the only one. */
  readonly sizes: Readonly<Partial<Record<Encoding, number>>> | null;
  /** True if all encodings are known; otherwise those up to this generation. */
  readonly isComplete: boolean;
  readonly generation: number;
  /** The header fields that a 304 omits. */
  readonly leftOut: readonly string[];
  /** The memory that it can take, measured. Representations are prepared later. */
  readonly bytes: number;
  private readonly encodings: Encodings;
  private readonly representations: Partial<Record<Encoding, Representation>> = {};

  constructor(
    site: CompiledManifest,
    resolution: FileResolution,
    { route, path, decodedPath }: Pick<SiteVisit, "route" | "path" | "decodedPath">,
    { scheme, generation }: Preparation,
  ) {
    const { file, status, canonical, step } = resolution;
    const decoded = decodedPath as string;
    const rules = rulesFor(site, resolution, decoded);
    const coding = codingOf(file.path, rules);
    const name = coding === null ? file.path : decodedName(file.path);
    const page = status === 200 && hasExtension(name, "page") ? new PageTally(path) : null;
    this.status = status;
    this.routeKey = route.key;
    this.isComplete = file.isEncoded;
    this.generation = generation;
    this.seen = status === 404 ? "missing" : (page ?? "asset");
    this.modified = httpDates.get(route.publishedAt, httpDateOf);
    this.encodings = file.encodings;
    const encodings = Object.entries(coding === null ? file.encodings : {});
    const sizes = encodings.map(([encoding, { size }]) => [encoding, size]);
    this.sizes = sizes.length === 0 ? null : { identity: file.size, ...Object.fromEntries(sizes) };
    this.leftOut = fieldsLeftOut(rules);
    const ruledBytes = rules.reduce((sum, rule) => sum + sizeOf(rule), 0);
    this.bytes = FILE_BYTES + ruledBytes + (encodings.length + 1) * REPRESENTATION_BYTES;
    const fields = fileHeaders({
      route,
      status,
      contentType: contentType(name, file.isLegacyText),
      // A stable URL with a rule for such a file shows another file after the next deployment.
      isFingerprinted: status === 200 && isFingerprinted(file.path) && isFingerprinted(decoded),
      isForPages: step === "single_page",
      canonical: page && canonicalUrl(route, canonical, decoded, scheme),
      rules,
      coding,
    });
    this.representations.identity = new Representation(this, fields, file, "identity");
  }

  get identity(): Representation {
    return this.representations.identity as Representation;
  }

  /** `encoding` is one of those that are stored. */
  representation(encoding: Encoding): Representation {
    const known = this.representations[encoding];
    if (known !== undefined || encoding === "identity") return known ?? this.identity;
    const stored = this.encodings[encoding] as EncodedContent;
    const representation = new Representation(this, this.identity.headers(), stored, encoding);
    this.representations[encoding] = representation;
    return representation;
  }
}

// --- internal ---

/** Of the file itself, and of each representation. */
const FILE_BYTES = 1000;
const REPRESENTATION_BYTES = 900;

interface HttpDate {
  /** Whole seconds, in milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** All files of a route have the same time. */
const httpDates = new BoundedMemo<number, HttpDate>(1000);

/** HTTP dates have whole seconds: truncated, never rounded up, so that no date is in the future. */
function httpDateOf(milliseconds: number): HttpDate {
  const at = Math.floor(milliseconds / SECOND) * SECOND;
  return { at, text: new Date(at).toUTCString() };
}

function rulesFor(site: CompiledManifest, resolution: FileResolution, path: string): readonly MatchingHeaderRule[] {
  const matching = site.headerRules(path);
  if (matching.length === 0 || !isSubstitute(resolution)) return matching;
  return withoutBorrowedCaching(matching, site.headerRules(`/${resolution.file.path}`));
}

function sizeOf({ set }: HeaderRule): number {
  return set.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

/** On a host that is not the site's main one, every page links to its URL there. */
function canonicalUrl(route: Route, canonical: string | null, path: string, scheme: string): string | null {
  if (route.canonicalHost !== null) return `${scheme}://${route.canonicalHost}${encodePath(canonical ?? path)}`;
  return canonical && encodePath(canonical);
}
