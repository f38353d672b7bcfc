/** The coding of a representation; `identity` is the content itself. */
export type Encoding = "identity" | ContentCoding;

/** The stored content codings, by their HTTP names. */
export type ContentCoding = "zstd" | "br" | "gzip";

/** An encoding is stored as content of its own. */
export interface EncodedContent {
  /** SHA-256 of the encoded bytes, lower-case hex: two encoders that write different bytes write different content. */
  readonly digest: string;
  readonly size: number;
}

/** The encodings that are stored for a content. */
export type Encodings = Readonly<Partial<Record<ContentCoding, EncodedContent>>>;

/** Who encodes. What an encoder left undone when it was killed is its own to claim anew. */
export interface Encoder {
  /** The node. */
  readonly holder: string;
  /** In milliseconds since the epoch, like all times here. */
  readonly now: number;
}

/** A content that one encoder may encode, until its claim ends. */
export interface EncodingClaim {
  readonly digest: string;
  readonly size: number;
  /** Greater than that of every claim of this content before. */
  readonly epoch: number;
}

/** What came of a claim; no encodings at all is an outcome, too. */
export interface EncodingOutcome extends Pick<EncodingClaim, "digest" | "epoch"> {
  readonly encodings: Encodings;
}

/** Which encodings of which content are stored, whole and durable. Visits read them along with a file: see `FileStore`. */
export interface EncodingStore {
  /** Returns whether there is content that this encoder may claim; among that of these sites, where some are given. */
  isPending(encoder: Encoder, siteIds?: readonly number[] | null): Promise<boolean>;

  /**
   * Claims up to `limit` contents of active deployments that nobody has encoded yet, the latest published first, and none
   * that another encoder has claimed: of two at once, each gets others. Claims end at `until`.
   */
  claim(encoder: Encoder & { readonly until: number }, limit: number): Promise<readonly EncodingClaim[]>;

  /**
   * Records outcomes whose encodings are durable; visitors get them from their next request on. Returns how many were
   * recorded: not those of a claim that has ended by `now` or was claimed anew, nor of content that is gone.
   */
  record(outcomes: readonly EncodingOutcome[], now: number): Promise<number>;
}
