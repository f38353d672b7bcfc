import type { ManifestFile } from "../domain/deployments/manifest.ts";
import type { Encoding } from "../domain/ports/blobs.ts";
import type { EncodingSizes } from "../domain/ports/store/encodings.ts";

const DIGEST_BYTES = 32;

/**
 * The files of a deployment by path, in about 45 bytes each and what their paths have: as objects in a map, a thousand
 * sites of a hundred files took 41 MB in each thread, and what did not fit was read from the store for every other visit.
 * Never changes.
 */
export class FileTable {
  readonly size: number;
  /** The length of the longest path. */
  readonly longest: number;
  /** All paths, in their order, one behind the other. */
  readonly #paths: string;
  /** Where each path begins; the next one's beginning is its end. */
  readonly #starts: Uint32Array;
  readonly #digests: Uint8Array;
  readonly #sizes: Float64Array;

  constructor(files: Iterable<ManifestFile>) {
    const sorted = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
    this.size = sorted.length;
    this.longest = sorted.reduce((longest, { path }) => Math.max(longest, path.length), 0);
    this.#paths = sorted.map(({ path }) => path).join("");
    this.#starts = new Uint32Array(sorted.length + 1);
    for (const [index, { path }] of sorted.entries()) this.#starts[index + 1] = this.#starts[index]! + path.length;
    this.#digests = Uint8Array.fromHex(sorted.map(({ digest }) => digest).join(""));
    this.#sizes = Float64Array.from(sorted, ({ size }) => size);
  }

  /** What it takes in memory, roughly. */
  get bytes(): number {
    return 2 * this.#paths.length + this.#starts.byteLength + this.#digests.byteLength + this.#sizes.byteLength;
  }

  has(path: string): boolean {
    return this.indexOf(path) !== -1;
  }

  /** Returns a file that holds on to nothing of the table. */
  get(path: string): ManifestFile | undefined {
    const index = this.indexOf(path);
    return index === -1 ? undefined : { path, digest: this.digestAt(index), size: this.#sizes[index]! };
  }

  /** Returns the place of a path in the order of all, or -1. */
  indexOf(path: string): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = this.#compare(middle, path);
      if (order === 0) return middle;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return -1;
  }

  digestAt(index: number): string {
    return this.#digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES).toHex();
  }

  /** Compares without a string for each step, which would be garbage. */
  #compare(index: number, path: string): number {
    const start = this.#starts[index]!;
    const length = this.#starts[index + 1]! - start;
    const common = Math.min(length, path.length);
    for (let at = 0; at < common; at++) {
      const difference = this.#paths.charCodeAt(start + at) - path.charCodeAt(at);
      if (difference !== 0) return difference;
    }
    return length - path.length;
  }
}

const ENCODINGS = ["zstd", "br", "gzip"] as const satisfies readonly Encoding[];

/** The encodings of a table's files, in 24 bytes a file; in none where there are none. Never changes. */
export class EncodingTable {
  /** For each file in the order of the table its sizes in the order of `ENCODINGS`; 0 where there is none. */
  readonly #sizes: Float64Array;

  /** `sizes` is by digest. */
  constructor(
    readonly files: FileTable,
    sizes: ReadonlyMap<string, EncodingSizes>,
  ) {
    this.#sizes = new Float64Array(sizes.size === 0 ? 0 : files.size * ENCODINGS.length);
    for (let index = 0; index < files.size && sizes.size > 0; index++) {
      const known = sizes.get(files.digestAt(index));
      if (known)
        this.#sizes.set(
          ENCODINGS.map((encoding) => known[encoding] ?? 0),
          index * ENCODINGS.length,
        );
    }
  }

  get bytes(): number {
    return this.#sizes.byteLength;
  }

  /** Returns the encodings of a file; null where there are none, and for a file of another deployment. */
  of({ path, digest }: ManifestFile): EncodingSizes | null {
    const index = this.#sizes.length === 0 ? -1 : this.files.indexOf(path);
    if (index === -1 || this.files.digestAt(index) !== digest) return null;
    const sizes = ENCODINGS.map((encoding, at) => [encoding, this.#sizes[index * ENCODINGS.length + at]!] as const);
    const stored = sizes.filter(([, size]) => size > 0);
    return stored.length === 0 ? null : Object.fromEntries(stored);
  }
}
