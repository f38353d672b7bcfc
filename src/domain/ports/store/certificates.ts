import type {
  Attempts,
  Certificate,
  ManagedCertificate,
  PendingOrder,
  RenewalInfo,
} from "../../certificates/certificate.ts";
import type { HeldLease } from "./jobs.ts";

/** A certificate that somebody wants this server to hold. */
export type WantedCertificate = Pick<ManagedCertificate, "identifiers" | "challenge" | "origin">;

/** What a step on the way to a certificate changed; fields left out stay as they are. */
export interface CertificateProgress {
  readonly attempts?: Attempts;
  readonly pending?: PendingOrder | null;
  readonly renewal?: RenewalInfo | null;
}

/** A certificate that the server made for itself: the root of its local CA, or the fallback. Both PEM. */
export interface OwnCertificate {
  readonly chain: string;
  readonly key: string;
}

/**
 * The certificates this server holds or wants, with their private keys. Keys are kept as they are, in a database
 * that only the server's own user can read (mode 0600 in a folder of mode 0700), as are those of other web servers:
 * a key to encrypt them with would have to lie beside them.
 */
export interface CertificateStore {
  /** Returns all of them, by subject. Read in parts, so that what changes meanwhile may be in it or not. */
  list(): Promise<readonly ManagedCertificate[]>;

  find(subject: string): Promise<ManagedCertificate | null>;

  /**
   * Files the wish under its first identifier. An equal wish that is there already keeps everything it has; one with
   * other identifiers or another challenge keeps its certificate until a new one arrives and begins its attempts anew.
   * The server takes over what a claim wanted, with everything it has; a claim takes nothing from the server.
   */
  want(wanted: WantedCertificate): Promise<void>;

  /**
   * Files a claim's wish in the place of what the server wants no more. It keeps the certificate, and everything else
   * as well where both wish for the same. Unknown is no error, and nothing is filed.
   */
  handBack(wanted: WantedCertificate): Promise<void>;

  /**
   * Saves a step of the way; false, and nothing saved, when the certificate was released meanwhile. Notes in the same
   * step what further attempts mean for the webhooks of the site that the name is verified for.
   */
  saveProgress(subject: string, progress: CertificateProgress, lease?: HeldLease | null): Promise<boolean>;

  /**
   * Puts a new certificate in the place of the old one and clears the order and the window, in one step; the listeners
   * see a new `revision`, and the webhooks of the site that the name is verified for are to hear that it came `at` that
   * moment. False, and nothing saved, when it was released meanwhile.
   */
  install(
    subject: string,
    certificate: Certificate,
    when: { readonly orderedAt: number; readonly at: number },
    attempts: Attempts,
    lease?: HeldLease | null,
  ): Promise<boolean>;

  /**
   * Forgets certificate, key and order; the listeners see a new `revision`. Of the attempts, what a CA counts or asked for
   * at `now` is kept as long as it matters, for the next wish under that subject. Unknown is no error.
   */
  release(subject: string, now: number): Promise<void>;

  /** Returns a number that grows whenever somebody wants or releases something new. One read by key. */
  requestsRevision(): Promise<number>;

  /** Returns a number that grows whenever the set of certificates changes. One read by key. */
  revision(): Promise<number>;

  /** Notes that every listener presents the set of that revision: what was installed up to it is `live`. */
  setLive(revision: number): Promise<void>;

  /** Returns whether certificates of claims were ordered when that was noted last; false before. */
  isOrdering(): Promise<boolean>;

  /** Notes it. Writes nothing where that is noted already, so that a start needs no room on a full disk. */
  noteOrdering(ordering: boolean): Promise<void>;

  /** Returns what the server made for itself; null before that. */
  own(name: "root" | "fallback"): Promise<OwnCertificate | null>;

  /** Keeps it unless there is one already, and returns the one that is kept: two threads that make one agree. */
  keepOwn(name: "root" | "fallback", certificate: OwnCertificate): Promise<OwnCertificate>;
}
