/** How much a finding matters: an error is broken for visitors, a warning costs them something, a note is for reading. */
export type Severity = "error" | "warning" | "note";

/** The codes of findings with their severities, in the order of the documentation. */
export const SEVERITIES = {
  broken_link: "error",
  missing_asset: "error",
  wrong_case: "error",
  broken_fragment: "error",
  redirect_loop: "error",
  link_to_redirect: "warning",
  mixed_content: "warning",
  local_address: "warning",
  canonical_mismatch: "warning",
  rule_never_matches: "warning",
  secret: "warning",
  answered_by_fallback: "note",
  relative_in_substitute: "note",
  not_checked: "note",
} as const satisfies Record<string, Severity>;

export type FindingCode = keyof typeof SEVERITIES;

export const FINDING_CODES = Object.keys(SEVERITIES) as readonly FindingCode[];

/** Something in a deployment that its owner may want to mend. */
export interface Finding {
  readonly code: FindingCode;
  /** The path of the file that contains it. */
  readonly file: string;
  /** The line in the file; 0 for the whole file. */
  readonly line: number;
  /** A sentence in lower case, without a full stop. */
  readonly message: string;
  /**
   * Path, query and fragment of an address of the site, the absolute URL of another host, the path of a rule, or the
   * start of a secret; null if the finding is about the file.
   */
  readonly target: string | null;
}

/** A finding after a comparison with another deployment. */
export interface ComparedFinding extends Finding {
  /** False if the other deployment has it too. */
  readonly isNew: boolean;
}

/** Pending until it is made. Failed if it could not be made in several attempts. */
export type ReportStatus = "pending" | "ready" | "failed";

/** The findings of one deployment, without a comparison. */
export interface MadeReport<F extends Finding = Finding> {
  /** The number of all findings, those that are not kept among them. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** Ordered by severity, file and line, and bounded for each severity: see `FindingList`. */
  readonly findings: readonly F[];
  readonly totals: ReportTotals;
  /** The number of files that were not checked, or only in part. */
  readonly notChecked: number;
  /**
   * A hash of all that the findings of a file depend on besides its content. A later report with the same one takes over
   * those of unchanged files. Null if findings are missing.
   */
  readonly basis: string | null;
}

export interface ReportTotals {
  /** HTML files that were read. */
  readonly pages: number;
  /** Links, and addresses of what pages load. */
  readonly links: number;
  readonly bytes: number;
  /** The largest files, the largest first. */
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
}

/** A report that was compared with the one of another deployment, or with none. */
export interface ComparedReport extends MadeReport<ComparedFinding> {
  readonly newErrors: number;
  readonly newWarnings: number;
}

/** Identifies a deployment that another one is compared with. */
export interface Baseline {
  readonly deploymentId: number;
  readonly number: number;
}
