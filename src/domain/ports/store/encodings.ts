/** The coding of a representation; `identity` is the content itself. */
export type Encoding = "identity" | ContentCoding;

/** The stored content codings, by their HTTP names. */
export type ContentCoding = "zstd" | "br" | "gzip";

/** An encoding is stored as separate content. */
export interface EncodedContent {
  /** SHA-256 of the encoded bytes in lower-case hex. Encoders that write different bytes create different content. */
  readonly digest: string;
  readonly size: number;
}

/** The stored encodings of a content. */
export type Encodings = Readonly<Partial<Record<ContentCoding, EncodedContent>>>;

/** The encoder. Claims that it left when it was killed are available to it again. */
export interface Encoder {
  /** The node. */
  readonly holder: string;
  /** Milliseconds since the epoch, like all times here. */
  readonly now: number;
}

/** A content that one encoder may encode until its claim ends. */
export interface EncodingClaim {
  readonly digest: string;
  readonly size: number;
  /** Greater than those of earlier claims of this content. */
  readonly epoch: number;
}

/** The result of a claim. It may have no encodings. */
export interface EncodingOutcome extends Pick<EncodingClaim, "digest" | "epoch"> {
  readonly encodings: Encodings;
}

/** The stored encodings of content, complete and durable. Visits read them along with a file: see `FileStore`. */
export interface EncodingStore {
  /** Returns whether there is content that this encoder may claim, in these sites if given. */
  isPending(encoder: Encoder, siteIds?: readonly number[] | null): Promise<boolean>;

  /**
   * Claims up to `limit` contents of active deployments that have no result yet, the latest published first, and none
   * that another encoder has claimed. Claims end at `until`.
   */
  claim(encoder: Encoder & { readonly until: number }, limit: number): Promise<readonly EncodingClaim[]>;

  /**
   * Records results whose encodings are durable; the next requests of visitors use them. Returns the number of recorded
   * ones, without those whose claim has ended by `now` or was taken over, and without deleted content.
   */
  record(outcomes: readonly EncodingOutcome[], now: number): Promise<number>;
}
