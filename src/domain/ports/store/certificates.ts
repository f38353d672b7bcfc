import type { Attempts, Certificate, ManagedCertificate, PendingOrder, RenewalInfo } from "../../model/certificate.ts";
import type { HeldLease } from "./jobs.ts";

/** A requested certificate. */
export type WantedCertificate = Pick<ManagedCertificate, "identifiers" | "challenge" | "origin">;

/** A change of a certificate's state. Absent fields stay. */
export interface CertificateProgress {
  readonly attempts?: Attempts;
  readonly pending?: PendingOrder | null;
  readonly renewal?: RenewalInfo | null;
}

/** An internal certificate of the server: the root of its local CA, or the fallback. Both in PEM. */
export type OwnCertificate = Pick<Certificate, "chain" | "key">;

/**
 * The requested and issued certificates with their private keys. Keys are stored in plain text, in a database that only
 * the server's own user can read (mode 0600 in a folder of mode 0700), like those of other web servers. A key to
 * encrypt them would have to be stored beside them.
 */
export interface CertificateStore {
  /** Returns all of them by subject. Reads in pages, so concurrent changes may be missing. */
  list(): Promise<readonly ManagedCertificate[]>;

  find(subject: string): Promise<ManagedCertificate | null>;

  /**
   * Stores a request under its first identifier. A repeated request keeps everything. One with other identifiers or
   * another challenge keeps its certificate until a new one arrives, and resets its attempts. The server's request
   * takes over a claim's with everything; a claim's request takes nothing from the server's.
   */
  want(wanted: WantedCertificate): Promise<void>;

  /**
   * Replaces a request of the server, which no longer needs it, by a claim's. It keeps the certificate, and everything
   * else if both have the same names. Does nothing for an unknown subject.
   */
  releaseToClaim(wanted: WantedCertificate): Promise<void>;

  /**
   * Saves progress, with its events for the webhooks of the site for which the name is verified. Returns false without
   * changes if the certificate was released meanwhile.
   */
  saveProgress(subject: string, progress: CertificateProgress, lease?: HeldLease | null): Promise<boolean>;

  /**
   * Replaces the certificate and clears the order and the renewal window in one transaction. Increments `revision` for
   * the listeners, and adds events for the webhooks of the site for which the name is verified. Returns false without
   * changes if it was released meanwhile.
   */
  install(
    subject: string,
    certificate: Certificate,
    when: { readonly orderedAt: number; readonly at: number },
    attempts: Attempts,
    lease?: HeldLease | null,
  ): Promise<boolean>;

  /**
   * Deletes certificate, key and order, and increments `revision` for the listeners. Of the attempts, limits and retry
   * times of a CA at `now` are kept while they matter, for the next request under that subject. Does nothing for an
   * unknown subject.
   */
  release(subject: string, now: number): Promise<void>;

  /** Returns a number that increases with each new request and release. One read by key. */
  requestsRevision(): Promise<number>;

  /** Returns a number that increases with each change of the set of certificates. One read by key. */
  revision(): Promise<number>;

  /**
   * Records that every listener presents the set of that revision. Certificates that were installed up to it are
   * `live`.
   */
  setLive(revision: number): Promise<void>;

  /** Returns whether certificates of claims were ordered according to the last record; false before the first one. */
  isOrdering(): Promise<boolean>;

  /** Records it. Writes nothing if it is unchanged, so that a start needs no space on a full disk. */
  noteOrdering(ordering: boolean): Promise<void>;

  /** Returns an internal certificate; null before it was created. */
  own(name: "root" | "fallback"): Promise<OwnCertificate | null>;

  /**
   * Stores an internal certificate unless there is one already, and returns the stored one, so that two threads agree.
   */
  keepOwn(name: "root" | "fallback", certificate: OwnCertificate): Promise<OwnCertificate>;
}
