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
  readonly fields: Fields;
  readonly link: string | null;
}

/**
 * One representation of a file, with the heads of its answers: responses without a body, which `new Response` takes status
 * and fields from faster than from an object. A head is kept from the second time on that it is asked for: most files of
 * most sites are asked for once, and 2 kB each would push out what is asked for again.
 */
export class Representation {
  readonly etag: string;
  /** Where hot content is kept. */
  readonly key: string;
  #ok: Response | "once" | null = null;
  #notModified: Response | null = null;

  constructor(
    readonly digest: string,
    readonly encoding: Encoding,
    readonly size: number,
    readonly lastModified: number,
    readonly status: number,
    readonly shared: SharedFields,
  ) {
    // 128 bits of the content's SHA-256. Every encoding is a representation of its own, hence a tag of its own.
    this.etag = encoding === "identity" ? `"${digest.slice(0, 32)}"` : `"${digest.slice(0, 32)}-${encoding}"`;
    this.key = `${digest}${encoding}`;
  }

  get ok(): Response {
    if (typeof this.#ok === "object" && this.#ok !== null) return this.#ok;
    const head = new Response(null, { status: this.status, headers: this.#headers() });
    this.#ok = this.#ok === null ? "once" : head;
    return head;
  }

  get notModified(): Response {
    this.#notModified ??= new Response(null, { status: 304, headers: repeatedFields(this.#headers()) });
    return this.#notModified;
  }

  #headers(): Headers {
    const headers = new Headers([...this.shared.fields]);
    if (this.shared.link !== null) headers.set("link", this.shared.link);
    if (this.status === 200) headers.set("etag", this.etag);
    if (this.encoding === "identity") headers.set("accept-ranges", "bytes");
    else headers.set("content-encoding", this.encoding);
    return headers;
  }
}

/** A file as the answer to one path of one route. Made once, kept while it is asked for. */
export class FileAnswer {
  readonly isPage: boolean;
  readonly lastModified: number;
  readonly hasEncodings: boolean;
  /** Sizes of all stored representations, the identity's included. */
  readonly sizes: Readonly<Partial<Record<Encoding, number>>>;
  readonly #fields: SharedFields;
  readonly #representations: Partial<Record<Encoding, Representation>> = {};

  /** The path of its address, as it was sent; kept, so that nobody cuts it out and hashes it for each view. */
  readonly path: string;
  /** Whether the encodings were all there will ever be, or only those of a generation. */
  readonly complete: boolean;
  readonly generation: number;

  /** Keeps nothing of the deployment: thousands of answers would hold on to a manifest each, far beyond their weight. */
  constructor(
    served: ServedDeployment,
    readonly file: ManifestFile,
    readonly status: number,
    { route, path, canonical, scheme }: { route: Route; path: string; canonical: string | null; scheme: string },
  ) {
    const decoded = decodePath(path) as string;
    const type = contentType(file.path);
    this.path = path;
    this.complete = served.complete;
    this.generation = served.generation;
    this.isPage = isPage(type);
    // HTTP dates know no milliseconds: cut, never rounded up, so that no date lies in the future.
    this.lastModified = Math.floor(route.publishedAt / SECOND) * SECOND;
    this.sizes = { identity: file.size, ...served.encodings.of(file) };
    this.hasEncodings = Object.keys(this.sizes).length > 1;
    this.#fields = sharedFields(served, {
      route,
      status,
      contentType: type,
      isFingerprinted: status === 200 && isFingerprinted(file.path),
      lastModified: this.lastModified,
      canonical: this.isPage && status === 200 ? canonicalAddress(route, canonical, decoded, scheme) : null,
      rules: served.manifest.headerRules(decoded),
    });
  }

  representation(encoding: Encoding): Representation {
    const known = this.#representations[encoding];
    if (known) return known;
    const { digest } = this.file;
    const size = this.sizes[encoding] as number;
    const made = new Representation(digest, encoding, size, this.lastModified, this.status, this.#fields);
    this.#representations[encoding] = made;
    return made;
  }
}

// --- internal ---

function sharedFields(served: ServedDeployment, facts: AnswerFacts & { route: Route }): SharedFields {
  const { route, status, contentType, isFingerprinted, rules, canonical } = facts;
  if (rules.some(isAboutLinks)) return { fields: answerFields(facts), link: null };
  const kind = [route.key, status, contentType, isFingerprinted, ...rules.map((rule) => rule.line)].join("\n");
  let fields = served.fields.get(kind);
  if (fields === undefined) {
    fields = answerFields({ ...facts, canonical: null });
    served.fields.set(kind, fields);
  }
  return { fields, link: canonical === null ? null : canonicalLink(canonical) };
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
