import { zstdCompressSync, zstdDecompressSync } from "bun";
import { and, eq, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { reportReady } from "../../domain/model/events.ts";
import { FACTS_VERSION, type FileContent, type FileFacts, type FileReader } from "../../domain/model/file-facts.ts";
import type { Baseline, ComparedReport } from "../../domain/model/report.ts";
import type {
  FactsKey,
  ReportClaim,
  ReportMaker,
  ReportStore,
  StoredReport,
} from "../../domain/ports/store/reports.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { note } from "./outbox.ts";
import { prepared } from "./prepared.ts";
import { first, rowsOf } from "./rows.ts";
import { contentFacts, contents, deployments, reports, sites } from "./schema.ts";
import { isAnyOf } from "./sql.ts";

/** Facts of the largest pages are read again instead, because few deployments have them. */
const MAX_FACTS_BYTES = 1024 * 1024;

export function reportStore({ read, write, writeRelaxed }: Connection): ReportStore {
  return {
    async isPending(maker) {
      const statement = sql`SELECT 1 FROM reports WHERE ${isClaimable(maker, Number.MAX_SAFE_INTEGER)} LIMIT 1`;
      return (await read((db) => rowsOf(db, statement))).length > 0;
    },

    claim: (maker) => writeRelaxed((tx) => claim(tx, maker)),

    async giveBack(claim, at, isAttempt) {
      const attempts = isAttempt ? sql`attempts` : sql`attempts - 1`;
      await writeRelaxed((tx) => tx.update(reports).set({ holder: "", endsAt: at, attempts }).where(isOf(claim)));
    },

    record: (claim, report, now) => write((tx) => record(tx, claim, report, now)),

    async find(deploymentId) {
      const row = await read((db) => first(reportOfDeployment(db, { deploymentId })));
      return row && toReport(row);
    },

    async request(deploymentId) {
      await write(async (tx) => {
        const exists = tx.select({ id: deployments.id }).from(deployments).where(eq(deployments.id, deploymentId));
        if ((await first(exists.for("key share"))) !== null) await addReport(tx, deploymentId, null);
      });
    },

    async outlines(reader, digests) {
      const { links, anchors } = contentFacts;
      const rows = await read((db) => selectFacts(db, { links, anchors }).where(areKnown(reader, digests)));
      return new Map(
        rows.map(({ digest, links, anchors }) => [digest, { links, anchors: anchors && decodeAnchors(anchors) }]),
      );
    },

    async facts(reader, digests) {
      const { facts } = contentFacts;
      const rows = await read((db) => selectFacts(db, { facts }).where(areKnown(reader, digests)));
      return new Map(rows.flatMap(({ digest, facts }) => (facts ? [[digest, decode<FileFacts>(facts)]] : [])));
    },

    async keepFacts(files) {
      const rows = files.map(toFactsRow);
      await writeRelaxed((tx) => keep(tx, rows));
    },
  };
}

/** Adds a pending report to a new deployment. */
export async function addReport(tx: Drizzle, deploymentId: number, baseline: Baseline | null): Promise<void> {
  const row = { deploymentId, status: "pending", epoch: 0, attempts: 0, holder: "", compared: false } as const;
  await tx
    .insert(reports)
    .values({ ...row, ...baselineColumns(baseline) })
    .onConflictDoNothing();
}

/** Changes what the report of an activated deployment is compared with. Leaves a report that cannot be made. */
export async function setBaseline(tx: Drizzle, deploymentId: number, baseline: Baseline | null): Promise<void> {
  const columns = baselineColumns(baseline);
  const isOther = sql`${reports.baselineId} IS DISTINCT FROM CAST(${columns.baselineId} AS bigint)`;
  await tx
    .update(reports)
    .set({ ...columns, compared: false })
    .where(and(eq(reports.deploymentId, deploymentId), ne(reports.status, "failed"), isOther));
}

// --- internal ---

function baselineColumns(baseline: Baseline | null) {
  return { baselineId: baseline?.deploymentId ?? null, baselineNumber: baseline?.number ?? null };
}

/** Claims that end at or after `wrong` are void: they come from a wrong clock. */
function isClaimable({ holder, now }: ReportMaker, wrong: number): SQL {
  return sql`NOT compared AND (ends_at IS NULL OR holder = ${holder} OR ends_at <= ${now} OR ends_at >= ${wrong})`;
}

/** Of two makers that find the same report, the second waits and gets none. */
async function claim(
  tx: Drizzle,
  { holder, now, until }: ReportMaker & { readonly until: number },
): Promise<ReportClaim | null> {
  const claimable = isClaimable({ holder, now }, now + 2 * (until - now));
  const statement = sql`
    UPDATE reports SET holder = ${holder}, ends_at = ${until}, epoch = epoch + 1, attempts = attempts + 1
    WHERE deployment_id = (SELECT min(deployment_id) FROM reports WHERE ${claimable}) AND ${claimable}
    RETURNING deployment_id AS id`;
  const [claimed] = await rowsOf<{ readonly id: string }>(tx, statement);
  return claimed ? first(claimOfDeployment(tx, { deploymentId: Number(claimed.id) })).then(toClaim) : null;
}

const claimOfDeployment = prepared((db) =>
  db
    .select({
      deploymentId: reports.deploymentId,
      baselineId: reports.baselineId,
      baselineNumber: reports.baselineNumber,
      epoch: reports.epoch,
      attempts: reports.attempts,
      status: reports.status,
      siteId: deployments.siteId,
      siteName: sites.name,
      number: deployments.number,
    })
    .from(reports)
    .innerJoin(deployments, eq(deployments.id, reports.deploymentId))
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .where(eq(reports.deploymentId, sql.placeholder("deploymentId"))),
);

type ClaimRow = Awaited<ReturnType<typeof claimOfDeployment>>[number];
type BaselineColumns = { readonly baselineId: number | null; readonly baselineNumber: number | null };

function toClaim(row: ClaimRow | null): ReportClaim | null {
  if (row === null) return null;
  const { baselineId, baselineNumber, status, ...rest } = row;
  return { ...rest, baseline: toBaseline({ baselineId, baselineNumber }), isMade: status === "ready" };
}

function toBaseline({ baselineId, baselineNumber }: BaselineColumns): Baseline | null {
  return baselineId === null || baselineNumber === null ? null : { deploymentId: baselineId, number: baselineNumber };
}

/** The baseline may have changed since the claim, by an activation. Then the report is compared again. */
async function record(tx: Drizzle, claim: ReportClaim, report: ComparedReport | null, now: number): Promise<boolean> {
  const { siteId, siteName, number, baseline, isMade } = claim;
  const isSame = sql`coalesce(baseline_id, 0) = CAST(${baseline?.deploymentId ?? 0} AS bigint)`;
  const values = report
    ? { status: "ready" as const, report: encode(report), compared: isSame, attempts: 0, endsAt: null }
    : { status: "failed" as const, report: null, compared: true, endsAt: null };
  const updated = tx.update(reports).set(values).where(isOf(claim)).returning({ id: reports.deploymentId });
  if ((await first(updated)) === null) return false;
  if (isMade) return true;
  if (report) await note(tx, { id: siteId, name: siteName }, now, [reportReady(siteName, number, report)]);
  else await announce(tx, siteChanged(siteId, { deployment_number: number }));
  return true;
}

function isOf({ deploymentId, epoch }: ReportClaim): SQL | undefined {
  return and(eq(reports.deploymentId, deploymentId), eq(reports.epoch, epoch), isNotNull(reports.endsAt));
}

const reportOfDeployment = prepared((db) =>
  db
    .select({
      status: reports.status,
      baselineId: reports.baselineId,
      baselineNumber: reports.baselineNumber,
      report: reports.report,
      compared: reports.compared,
    })
    .from(reports)
    .where(eq(reports.deploymentId, sql.placeholder("deploymentId"))),
);

type ReportRow = Awaited<ReturnType<typeof reportOfDeployment>>[number];

function toReport({ status, report, compared, ...baseline }: ReportRow): StoredReport {
  return {
    status,
    baseline: toBaseline(baseline),
    report: report && decode<ComparedReport>(report),
    isCompared: compared,
  };
}

function selectFacts<Columns extends Partial<typeof contentFacts._.columns>>(db: Drizzle, columns: Columns) {
  return db
    .select({ digest: contents.digest, ...columns })
    .from(contents)
    .innerJoin(contentFacts, eq(contentFacts.contentId, contents.id));
}

function areKnown(reader: FileReader, digests: readonly string[]): SQL | undefined {
  return and(
    isAnyOf(contents.digest, digests, "text"),
    eq(contentFacts.reader, reader),
    eq(contentFacts.version, FACTS_VERSION),
  );
}

function toFactsRow({ digest, reader, facts, outline: { links, anchors } }: FactsKey & FileContent) {
  const encoded = encode(facts);
  return {
    digest,
    reader,
    links,
    anchors: anchors && new Uint8Array(anchors.buffer, anchors.byteOffset, anchors.byteLength),
    facts: encoded.length <= MAX_FACTS_BYTES ? encoded : null,
  };
}

/** Copies the bytes, because those of a driver may begin where no 32-bit number can. */
function decodeAnchors(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

async function keep(tx: Drizzle, rows: readonly ReturnType<typeof toFactsRow>[]): Promise<void> {
  const digests = rows.map(({ digest }) => digest);
  const known = tx.select({ id: contents.id, digest: contents.digest }).from(contents);
  const found = await known.where(isAnyOf(contents.digest, digests, "text")).for("key share");
  const ids = new Map(found.map(({ id, digest }) => [digest, id]));
  for (const { digest, reader, links, anchors, facts } of rows) {
    const contentId = ids.get(digest);
    if (contentId === undefined) continue;
    await tx.execute(sql`
      INSERT INTO content_facts (content_id, reader, version, links, anchors, facts)
      VALUES (${contentId}, ${reader}, CAST(${FACTS_VERSION} AS bigint), CAST(${links} AS bigint), ${anchors}, ${facts})
      ON CONFLICT (content_id, reader)
      DO UPDATE SET version = excluded.version, links = excluded.links, anchors = excluded.anchors, facts = excluded.facts`);
  }
}

/** JSON compressed with zstd, as manifests are stored. */
function encode(value: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(value), { level: 3 });
}

function decode<T>(row: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(zstdDecompressSync(row))) as T;
}
