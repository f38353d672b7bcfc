import type { Manifest, ManifestFile } from "../model/manifest.ts";
import type { Finding, MadeReport, ReportTotals } from "../model/report.ts";
import type { ContentStore } from "../ports/content.ts";
import type { ReportClaim } from "../ports/store/reports.ts";
import type { Store } from "../ports/store.ts";
import { isServed } from "../rules/clean-urls.ts";
import { rulesThatNeverApply } from "../rules/redirects-lint.ts";
import { SECOND } from "../timestamp.ts";
import { type Anchors, compactAnchors } from "./anchors.ts";
import { type FactsPorts, factsOf, readableFiles } from "./facts-of-files.ts";
import { FindingList } from "./finding-list.ts";
import { makeJudge, notChecked } from "./judge.ts";
import type { OwnHosts } from "./own-hosts.ts";
import type { AnswersOf } from "./ports.ts";
import { findSubstitutes } from "./substitutes.ts";

export interface MakeReportPorts extends FactsPorts {
  readonly store: Pick<Store, "reports" | "deployments" | "claims">;
  readonly content: Pick<ContentStore, "read">;
  readonly answersOf: AnswersOf;
  readonly server: Pick<OwnHosts, "sitesDomain" | "isSecure">;
  /** The processor time that this thread has used, in milliseconds. */
  readonly processor: () => number;
}

/** Thrown when the thread is asked to end. Nothing of what was read is lost. */
export class Stopped extends Error {}

/** The processor time of one report. */
const MAX_PROCESSOR_MS = 60 * SECOND;
/** The part of it after which no more files are read, so that those that were read are judged. */
const READING_SHARE = 2 / 3;

/**
 * Makes the report of a deployment; null if the deployment was deleted. It needs two passes over the facts of all files,
 * because a link may name a place in any page. Throws `Stopped`, and the errors of the store and of the content.
 */
export async function makeReport(ports: MakeReportPorts, claim: ReportClaim): Promise<MadeReport | null> {
  const manifest = await ports.store.deployments.manifest(claim.deploymentId);
  if (manifest === null) return null;
  const start = ports.processor();
  const isWithin = (share: number) => () => ports.processor() - start < MAX_PROCESSOR_MS * share;
  const served = manifest.files.filter(({ path }) => isServed(path));
  const anchors = await readAnchors(ports, served, isWithin(READING_SHARE));
  const list = new FindingList();
  for (const finding of ruleFindings(manifest, served)) list.add(finding);
  const judge = makeJudge({
    answers: ports.answersOf(manifest),
    hosts: await hostsOf(ports, claim),
    files: new Set(served.map(({ path }) => path)),
    substitutes: findSubstitutes(new Set(served.map(({ path }) => path)), manifest.redirects),
    anchorsOf: (file) => anchors.get(file) ?? null,
  });
  const counts = { pages: 0, links: 0, notChecked: 0 };
  const late: string[] = [];
  for await (const { file, reader, facts } of factsOf(ports, readableFiles(served), isWithin(1))) {
    if (facts === null) {
      late.push(file.path);
      continue;
    }
    if (reader === "page") counts.pages += 1;
    counts.links += facts.references.length;
    if (facts.problem !== null) counts.notChecked += 1;
    for (const finding of judge(file.path, facts)) list.add(finding);
  }
  if (late[0] !== undefined) list.add(outOfTime(late[0], late.length));
  const { pages, links } = counts;
  return {
    ...list.result(),
    totals: { pages, links, ...sizesOf(manifest.files) },
    notChecked: counts.notChecked + late.length,
  };
}

// --- internal ---

async function readAnchors(
  ports: MakeReportPorts,
  served: readonly ManifestFile[],
  mayGoOn: () => boolean,
): Promise<ReadonlyMap<string, Anchors>> {
  const anchors = new Map<string, Anchors>();
  for await (const { file, facts } of factsOf(ports, readableFiles(served), mayGoOn)) {
    if (facts?.anchors) anchors.set(file.path, compactAnchors(facts.anchors));
  }
  return anchors;
}

async function hostsOf({ store, server }: MakeReportPorts, { siteId, siteName }: ReportClaim): Promise<OwnHosts> {
  const claims = await store.claims.listOfSite(siteId);
  const verified = claims.filter(({ status }) => status === "verified");
  return { ...server, siteName, domains: new Set(verified.map(({ hostname }) => hostname)) };
}

function ruleFindings({ redirects }: Manifest, served: readonly ManifestFile[]): readonly Finding[] {
  const files = new Set(served.map(({ path }) => path));
  return rulesThatNeverApply(redirects, files).map(({ rule: { line, from }, why }) => ({
    code: "rule_never_matches",
    file: "_redirects",
    line,
    message: why,
    target: from,
  }));
}

function outOfTime(file: string, count: number): Finding {
  const files = count === 1 ? "this file was" : `this file and ${count - 1} more were`;
  return notChecked(file, `the report took ${MAX_PROCESSOR_MS / SECOND} seconds of processor time, and ${files} left`);
}

const LISTED_FILES = 10;

function sizesOf(files: readonly ManifestFile[]): Pick<ReportTotals, "bytes" | "largest"> {
  const sorted = files.toSorted((one, other) => other.size - one.size);
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    largest: sorted.slice(0, LISTED_FILES).map(({ path, size: bytes }) => ({ path, bytes })),
  };
}
