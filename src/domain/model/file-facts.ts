/** How a file is read, which depends on its name alone. */
export type FileReader = "page" | "style" | "manifest" | "text";

/** What a browser does with an address: it follows some when a person asks for it, and loads the others by itself. */
export type ReferenceKind =
  | "link"
  | "form"
  | "image"
  | "script"
  | "style"
  | "media"
  | "frame"
  | "object"
  | "manifest"
  | "start"
  | "preload"
  | "canonical";

/** An address in a file, as the file has it, with entities and escapes decoded. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly address: string;
  readonly line: number;
}

/** A secret in a text. Only its start is kept. */
export interface FoundSecret {
  /** What it is, for a message. */
  readonly name: string;
  readonly start: string;
  readonly line: number;
}

/** What the bytes of a file say, whatever the deployment: it is read once for all deployments that have it. */
export interface FileFacts {
  /** The address in `<base href>`; null if there is none. */
  readonly base: string | null;
  readonly references: readonly Reference[];
  readonly secrets: readonly FoundSecret[];
  /** Why not all of it was checked, as the end of a sentence; null if it was. */
  readonly problem: string | null;
}

/** What the links of other files depend on, and what totals count: a report needs it of all files. */
export interface FileOutline {
  /** The number of references. */
  readonly links: number;
  /** The hashes of the places that a fragment can name, in ascending order; null if they are unknown. */
  readonly anchors: Uint32Array | null;
}

/** A file that was read. */
export interface FileContent {
  readonly facts: FileFacts;
  readonly outline: FileOutline;
}

/**
 * Increases when files are read or judged in another way. Facts of other versions are read again, and reports of other
 * versions are not continued.
 */
export const FACTS_VERSION = 1;
