import type { HeaderRule } from "../domain/deployments/headers-file.ts";
import type { ManifestFile } from "../domain/deployments/manifest.ts";
import { encodePath } from "../domain/deployments/redirect-matcher.ts";
import type { Encoding } from "../domain/ports/blobs.ts";
import { SECOND } from "../domain/timestamp.ts";
import { type AnswerFacts, answerFields, canonicalLink, type Fields, NOT_MODIFIED_FIELDS } from "./answer-headers.ts";
import { contentType, isPage } from "./content-type.ts";
import type { ServedDeployment } from "./deployments.ts";
import { isFingerprinted } from "./fingerprint.ts";
import type { Route } from "./ports.ts";
import { decodePath } from "./request-path.ts";

/** What a file's answers have in common with those of its kind, and the one field that names the page itself. */
interface SharedFields {
  readonly fields: Headers;
  readonly link: string | null;
}

/** One representation of a file, and the answers that are made of it. */
export class Representation {
  readonly etag: string;
  /** Where hot content is kept. */
  readonly key: string;
  readonly #shared: SharedFields;
  /**
   * A response without a body, which `new Response` takes status and fields from faster than from an object. It is kept
   * from the second answer on: most files of most sites are asked for once.
   */
  #head: Response | "once" | null = null;
  #notModified: Response | null = null;

  constructor(
    readonly digest: string,
    readonly encoding: Encoding,
    readonly size: number,
    readonly lastModified: number,
    readonly status: number,
    shared: SharedFields,
  ) {
    // 128 bits of the content's SHA-256. Every encoding is a representation of its own, hence a tag of its own.
    this.etag = encoding === "identity" ? `"${digest.slice(0, 32)}"` : `"${digest.slice(0, 32)}-${encoding}"`;
    this.key = encoding === "identity" ? digest : `${digest}${encoding}`;
    this.#shared = shared;
  }

  /** Returns the answer with these bytes of the representation. */
  respond(body: Blob | Uint8Array<ArrayBuffer>): Response {
    if (this.#head === null) {
      this.#head = "once";
      return new Response(body, { status: this.status, headers: this.headers() });
    }
    if (this.#head === "once") this.#head = new Response(null, { status: this.status, headers: this.headers() });
    return new Response(body, this.#head);
  }

  notModified(): Response {
    this.#notModified ??= new Response(null, { status: 304, headers: repeatedFields(this.headers()) });
    return new Response(null, this.#notModified);
  }

  /** Returns the fields of the answer, which are the caller's to change. */
  headers(): Headers {
    const headers = new Headers(this.#shared.fields);
    if (this.#shared.link !== null) headers.set("link", this.#shared.link);
    if (this.status === 200) headers.set("etag", this.etag);
    if (this.encoding === "identity") headers.set("accept-ranges", "bytes");
    else headers.set("content-encoding", this.encoding);
    return headers;
  }
}

/** A file as the answer to one path of one route. Made once, kept while it is asked for. */
export class FileAnswer {
  /** Of the route that it was made for: the address may lead somewhere else by now. */
  readonly routeKey: string;
  /** The path of its address, as it was sent; kept, so that nobody cuts it out and hashes it for each view. */
  readonly path: string;
  readonly isPage: boolean;
  readonly lastModified: number;
  readonly identity: Representation;
  /** Sizes of all stored representations, the identity's included; null where that is the only one. */
  readonly sizes: Readonly<Partial<Record<Encoding, number>>> | null;
  /** Whether the encodings were all there will ever be, or only those of a generation. */
  readonly complete: boolean;
  readonly generation: number;
  readonly #fields: SharedFields;
  #encoded: Partial<Record<Encoding, Representation>> | null = null;

  /** Keeps nothing of the deployment: thousands of answers would hold on to a manifest each, far beyond their weight. */
  constructor(
    served: ServedDeployment,
    file: ManifestFile,
    readonly status: number,
    { route, path, canonical, scheme }: { route: Route; path: string; canonical: string | null; scheme: string },
  ) {
    const decoded = decodePath(path) as string;
    const type = contentType(file.path);
    this.routeKey = route.key;
    this.path = path;
    this.complete = served.complete;
    this.generation = served.generation;
    this.isPage = isPage(type);
    // HTTP dates know no milliseconds: cut, never rounded up, so that no date lies in the future.
    this.lastModified = Math.floor(route.publishedAt / SECOND) * SECOND;
    const encodings = served.encodings.of(file);
    this.sizes = encodings && { identity: file.size, ...encodings };
    this.#fields = sharedFields(served, {
      route,
      status,
      contentType: type,
      isFingerprinted: status === 200 && isFingerprinted(file.path),
      lastModified: this.lastModified,
      canonical: this.isPage && status === 200 ? canonicalAddress(route, canonical, decoded, scheme) : null,
      rules: served.manifest.headerRules(decoded),
    });
    this.identity = this.#represent(file.digest, "identity", file.size);
  }

  /** `encoding` is one of those that are stored. */
  representation(encoding: Encoding): Representation {
    if (encoding === "identity") return this.identity;
    this.#encoded ??= {};
    this.#encoded[encoding] ??= this.#represent(this.identity.digest, encoding, this.sizes?.[encoding] as number);
    return this.#encoded[encoding];
  }

  #represent(digest: string, encoding: Encoding, size: number): Representation {
    return new Representation(digest, encoding, size, this.lastModified, this.status, this.#fields);
  }
}

// --- internal ---

function sharedFields(served: ServedDeployment, facts: AnswerFacts & { route: Route }): SharedFields {
  const { route, status, contentType, isFingerprinted, rules, canonical } = facts;
  if (rules.some(isAboutLinks)) return { fields: toHeaders(answerFields(facts)), link: null };
  const kind = [route.key, status, contentType, isFingerprinted, ...rules.map((rule) => rule.line)].join("\n");
  let fields = served.fields.get(kind);
  if (fields === undefined) {
    fields = toHeaders(answerFields({ ...facts, canonical: null }));
    served.fields.set(kind, fields);
  }
  return { fields, link: canonical === null ? null : canonicalLink(canonical) };
}

/** Copied natively for each answer, at a sixth of what making them of strings costs. */
function toHeaders(fields: Fields): Headers {
  return new Headers([...fields]);
}

function isAboutLinks(rule: HeaderRule): boolean {
  return rule.remove.includes("link") || rule.set.some(([name]) => name === "link");
}

function repeatedFields(headers: Headers): Headers {
  const repeated = new Headers();
  for (const name of NOT_MODIFIED_FIELDS) {
    const value = headers.get(name);
    if (value !== null) repeated.set(name, value);
  }
  return repeated;
}

/** On a host that is not the site's main one, every page names its twin there. */
function canonicalAddress(route: Route, canonical: string | null, path: string, scheme: string): string | null {
  if (route.canonicalHost !== null) return `${scheme}://${route.canonicalHost}${encodePath(canonical ?? path)}`;
  return canonical && encodePath(canonical);
}
