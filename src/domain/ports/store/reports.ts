import type { FileContent, FileFacts, FileOutline, FileReader } from "../../model/file-facts.ts";
import type { Baseline, ComparedReport, ReportStatus } from "../../model/report.ts";

/** A report that one maker may make, or compare again, until its claim ends. */
export interface ReportClaim {
  readonly deploymentId: number;
  readonly siteId: number;
  readonly siteName: string;
  readonly number: number;
  /** The deployment that was live before; null if there was none. */
  readonly baseline: Baseline | null;
  /** True if only the comparison is missing: the baseline has changed since. */
  readonly isMade: boolean;
  /** Greater than those of earlier claims of this report. */
  readonly epoch: number;
  /** The number of claims of this report, this one included, without those that were given back. */
  readonly attempts: number;
}

/** The state of a report. */
export interface StoredReport {
  readonly status: ReportStatus;
  readonly baseline: Baseline | null;
  /** Null unless it is ready. */
  readonly report: ComparedReport | null;
  /** False if the baseline has changed since `report` was compared. */
  readonly isCompared: boolean;
}

/** The maker of reports. Claims that it left when it was killed are available to it again. */
export interface ReportMaker {
  /** The node. */
  readonly holder: string;
  /** Milliseconds since the epoch, like all times here. */
  readonly now: number;
}

/** A content, and how it is read. */
export interface FactsKey {
  readonly digest: string;
  readonly reader: FileReader;
}

/**
 * The reports of deployments. Each publication adds a pending one in its transaction, and each activation changes the
 * baseline of the activated one, so that it must be compared again. They are deleted with their deployments.
 */
export interface ReportStore {
  /** Returns whether there is a report that this maker may claim. Cheap enough for every second. */
  isPending(maker: ReportMaker): Promise<boolean>;

  /** Claims the report of the oldest deployment whose report is not made or not compared; null if there is none. */
  claim(maker: ReportMaker & { readonly until: number }): Promise<ReportClaim | null>;

  /** Ends a claim whose report was not made. It can be claimed again at `at`; `isAttempt` is false if nothing went wrong. */
  giveBack(claim: ReportClaim, at: number, isAttempt: boolean): Promise<void>;

  /**
   * Records a report, or that it cannot be made (null), with an event for the site unless it was only compared again.
   * Returns false if the claim was taken over or the deployment deleted.
   */
  record(claim: ReportClaim, report: ComparedReport | null, now: number): Promise<boolean>;

  /** Null if the deployment has none, because it is older than reports. */
  find(deploymentId: number): Promise<StoredReport | null>;

  /** Adds a pending report to a deployment without one. */
  request(deploymentId: number): Promise<void>;

  /** Returns the known outlines by digest, of files that are all read in the same way. */
  outlines(reader: FileReader, digests: readonly string[]): Promise<ReadonlyMap<string, FileOutline>>;

  /** Returns the known facts by digest, of files that are all read in the same way. */
  facts(reader: FileReader, digests: readonly string[]): Promise<ReadonlyMap<string, FileFacts>>;

  /** Keeps what files say for other deployments with the same content. Facts that are too large for a row are left out. */
  keepFacts(files: readonly (FactsKey & FileContent)[]): Promise<void>;
}
