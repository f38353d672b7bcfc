import type { ManifestFile } from "../domain/deployments/manifest.ts";
import { encodePath } from "../domain/deployments/redirect-matcher.ts";
import type { Encoding } from "../domain/ports/blobs.ts";
import { SECOND } from "../domain/timestamp.ts";
import { answerFields, type Fields, NOT_MODIFIED_FIELDS } from "./answer-headers.ts";
import { contentType, isPage } from "./content-type.ts";
import type { ServedDeployment } from "./deployments.ts";
import { isFingerprinted } from "./fingerprint.ts";
import type { Route } from "./ports.ts";

/** One representation of a file, with everything that an answer needs made beforehand. */
export interface Representation {
  readonly digest: string;
  readonly encoding: Encoding;
  readonly size: number;
  /** Where hot content is kept. */
  readonly key: string;
  readonly etag: string;
  readonly lastModified: number;
  readonly ok: { readonly status: number; readonly headers: Headers };
  /** Made when it is first asked for: most files of a site never are. */
  readonly notModified: { readonly status: 304; readonly headers: Headers };
}

/** A file as the answer to one path of one route. Made once, kept while it is asked for. */
export class FileAnswer {
  readonly isPage: boolean;
  readonly lastModified: number;
  readonly hasEncodings: boolean;
  /** Sizes of all stored representations, the identity's included. */
  readonly sizes: Readonly<Partial<Record<Encoding, number>>>;
  readonly #fields: Fields;
  readonly #representations: Partial<Record<Encoding, Representation>> = {};

  /** Whether the encodings were all there will ever be, or only those of a generation. */
  readonly complete: boolean;
  readonly generation: number;

  /** Keeps nothing of the deployment: thousands of answers would hold on to a manifest each, far beyond their weight. */
  constructor(
    served: ServedDeployment,
    readonly file: ManifestFile,
    readonly status: number,
    { route, canonical, path, scheme }: { route: Route; canonical: string | null; path: string; scheme: string },
  ) {
    const type = contentType(file.path);
    this.complete = served.complete;
    this.generation = served.generation;
    this.isPage = isPage(type);
    // HTTP dates know no milliseconds: cut, never rounded up, so that no date lies in the future.
    this.lastModified = Math.floor(route.publishedAt / SECOND) * SECOND;
    this.hasEncodings = served.encodings.has(file.digest);
    this.sizes = { identity: file.size, ...served.encodings.get(file.digest) };
    this.#fields = answerFields({
      route,
      status,
      contentType: type,
      isFingerprinted: status === 200 && isFingerprinted(file.path),
      lastModified: this.lastModified,
      canonical: this.isPage && status === 200 ? canonicalAddress(route, canonical, path, scheme) : null,
      rules: served.manifest.headerRules(path),
    });
  }

  representation(encoding: Encoding): Representation {
    const known = this.#representations[encoding];
    if (known) return known;
    const made = this.#make(encoding);
    this.#representations[encoding] = made;
    return made;
  }

  #make(encoding: Encoding): Representation {
    const { digest } = this.file;
    // 128 bits of the content's SHA-256. Every encoding is a representation of its own, hence a tag of its own.
    const etag = encoding === "identity" ? `"${digest.slice(0, 32)}"` : `"${digest.slice(0, 32)}-${encoding}"`;
    const headers = new Headers([...this.#fields]);
    if (this.status === 200) headers.set("etag", etag);
    if (encoding === "identity") headers.set("accept-ranges", "bytes");
    else headers.set("content-encoding", encoding);
    let notModified: Representation["notModified"] | null = null;
    return {
      digest,
      encoding,
      size: this.sizes[encoding] as number,
      key: `${digest}${encoding}`,
      etag,
      lastModified: this.lastModified,
      ok: { status: this.status, headers },
      get notModified() {
        notModified ??= { status: 304, headers: repeatedFields(headers) };
        return notModified;
      },
    };
  }
}

// --- internal ---

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
