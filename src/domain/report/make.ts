import type { FileOutline } from "../model/file-facts.ts";
import type { Manifest, ManifestFile } from "../model/manifest.ts";
import type { Finding, MadeReport, ReportTotals } from "../model/report.ts";
import type { ReportClaim } from "../ports/store/reports.ts";
import type { Store } from "../ports/store.ts";
import type { Secrets } from "../ports/system.ts";
import { isServed } from "../rules/clean-urls.ts";
import { rulesThatNeverApply } from "../rules/redirects-lint.ts";
import { SECOND } from "../timestamp.ts";
import { type FactsPorts, factsOf, outlinesOf, type ReadableFile, readableFiles } from "./facts-of-files.ts";
import { FindingList } from "./finding-list.ts";
import { type JudgeFile, makeJudge, notChecked } from "./judge.ts";
import type { OwnHosts } from "./own-hosts.ts";
import type { AnswersOf } from "./ports.ts";
import { findSubstitutes } from "./substitutes.ts";
import { basisOf, type FormerReport, findUnchanged, type ServerFacts } from "./unchanged.ts";

export interface MakeReportPorts extends FactsPorts {
  readonly store: Pick<Store, "reports" | "deployments" | "claims">;
  readonly secrets: Pick<Secrets, "sha256">;
  readonly answersOf: AnswersOf;
  readonly server: ServerFacts;
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
 * Makes the report of a deployment; null if the deployment was deleted. It needs two passes, because a link may name a
 * place in any page: one over the outlines of all files, and one over the facts of those whose findings `former` does
 * not have. Throws `Stopped`, and the errors of the store and of the content.
 */
export async function makeReport(
  ports: MakeReportPorts,
  claim: ReportClaim,
  former: FormerReport | null,
): Promise<MadeReport | null> {
  const manifest = await ports.store.deployments.manifest(claim.deploymentId);
  if (manifest === null) return null;
  const start = ports.processor();
  const isWithin = (share: number) => () => ports.processor() - start < MAX_PROCESSOR_MS * share;
  const served = manifest.files.filter(({ path }) => isServed(path));
  const readable = readableFiles(served);
  const outlines = await readOutlines(ports, readable, isWithin(READING_SHARE));
  const site = { manifest, served, outlines, hosts: await hostsOf(ports, claim) };
  const basis = basisOf(ports, site);
  const unchanged = await findUnchanged(ports.store, former, { basis, readable });
  const list = new FindingList();
  for (const finding of [...ruleFindings(manifest, served), ...unchanged.findings]) list.add(finding);
  const changed = readable.filter(({ file }) => !unchanged.files.has(file.path));
  const judged = await judgeFiles(ports, judgeOf(ports, site), changed, list, isWithin(1));
  return {
    ...list.result(),
    totals: { ...totalsOf(readable, outlines), ...sizesOf(manifest.files) },
    notChecked: unchanged.notChecked + judged.notChecked,
    basis: judged.isWhole && !list.isCut ? basis : null,
  };
}

// --- internal ---

type Outlines = ReadonlyMap<string, FileOutline>;

/** A deployment whose files were read. */
interface ReadSite {
  readonly manifest: Manifest;
  readonly served: readonly ManifestFile[];
  readonly outlines: Outlines;
  readonly hosts: OwnHosts;
}

/** Returns the outlines of the files that were read in time, by path. */
async function readOutlines(
  ports: MakeReportPorts,
  files: readonly ReadableFile[],
  mayGoOn: () => boolean,
): Promise<Outlines> {
  const outlines = new Map<string, FileOutline>();
  for await (const { file, known } of outlinesOf(ports, files, mayGoOn)) {
    if (known !== null) outlines.set(file.path, known);
  }
  return outlines;
}

async function hostsOf({ store, server }: MakeReportPorts, { siteId, siteName }: ReportClaim): Promise<OwnHosts> {
  const claims = await store.claims.listOfSite(siteId);
  const verified = claims.filter(({ status }) => status === "verified");
  return { ...server, siteName, domains: new Set(verified.map(({ hostname }) => hostname)) };
}

function judgeOf({ answersOf }: MakeReportPorts, { manifest, served, outlines, hosts }: ReadSite): JudgeFile {
  const files = new Set(served.map(({ path }) => path));
  return makeJudge({
    answers: answersOf(manifest),
    hosts,
    files,
    substitutes: findSubstitutes(files, manifest.redirects),
    anchorsOf: (file) => outlines.get(file)?.anchors ?? null,
  });
}

/** Adds the findings of files to a list, and one for all files that are left when the time is over. */
async function judgeFiles(
  ports: MakeReportPorts,
  judge: JudgeFile,
  files: readonly ReadableFile[],
  list: FindingList,
  mayGoOn: () => boolean,
): Promise<{ readonly notChecked: number; readonly isWhole: boolean }> {
  const late: string[] = [];
  let problems = 0;
  for await (const { file, known: facts } of factsOf(ports, files, mayGoOn)) {
    if (facts === null) late.push(file.path);
    else for (const finding of judge(file.path, facts)) list.add(finding);
    if (facts?.problem) problems += 1;
  }
  if (late[0] !== undefined) list.add(outOfTime(late[0], late.length));
  return { notChecked: problems + late.length, isWhole: late.length === 0 };
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

function totalsOf(files: readonly ReadableFile[], outlines: Outlines): Pick<ReportTotals, "pages" | "links"> {
  const read = files.filter(({ file }) => outlines.has(file.path));
  return {
    pages: read.filter(({ reader }) => reader === "page").length,
    links: [...outlines.values()].reduce((sum, { links }) => sum + links, 0),
  };
}

const LISTED_FILES = 10;

function sizesOf(files: readonly ManifestFile[]): Pick<ReportTotals, "bytes" | "largest"> {
  const sorted = files.toSorted((one, other) => other.size - one.size);
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    largest: sorted.slice(0, LISTED_FILES).map(({ path, size: bytes }) => ({ path, bytes })),
  };
}
