import { type SQL, sql } from "drizzle-orm";
import type {
  ContentCoding,
  EncodedContent,
  Encoder,
  EncodingClaim,
  EncodingOutcome,
  EncodingStore,
} from "../../domain/ports/store/encodings.ts";
import { ENCODED } from "../../domain/ports/store/routing.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { rowsOf } from "./rows.ts";
import { contents, encodings, sites } from "./schema.ts";
import { isAnyOf, rowsAs } from "./sql.ts";

export function encodingStore({ read, writeRelaxed, writeRouting }: Connection): EncodingStore {
  return {
    async isPending(encoder, siteIds = null) {
      const some = siteIds === null ? sql`` : sql`AND ${isAnyOf(sites.id, siteIds, "bigint")}`;
      const statement = sql`SELECT 1 ${claimable(encoder, Number.MAX_SAFE_INTEGER)} ${some} LIMIT 1`;
      return (await read((db) => rowsOf(db, statement))).length > 0;
    },

    async claim({ holder, now, until }, limit) {
      // A claim that ends more than twice as far ahead comes from a wrong clock.
      const wrong = now + 2 * (until - now);
      // Searched outside the transaction, because that takes long with much content, and writers would wait.
      const statement = sql`
        SELECT DISTINCT contents.id, digest, size ${claimable({ holder, now }, wrong)}
        ORDER BY contents.id DESC LIMIT ${limit}`;
      const found = await read((db) => rowsOf<FoundContent>(db, statement));
      if (found.length === 0) return [];
      return writeRelaxed((tx) => claim(tx, found, { holder, now, until, wrong }));
    },

    async record(outcomes, now) {
      if (outcomes.length === 0) return 0;
      return writeRouting(async (tx, affects) => {
        affects(ENCODED);
        const contentIds = await record(tx, outcomes, now);
        affects.contents(...contentIds);
        return contentIds.length;
      });
    },
  };
}

// --- internal ---

interface FoundContent {
  readonly id: string;
  readonly digest: string;
  readonly size: string;
}

/** Content of active deployments that an encoder may claim. Claims that end at or after `wrong` are void. */
function claimable({ holder, now }: Encoder, wrong: number): SQL {
  return sql`
    FROM sites JOIN deployment_contents ON deployment_id = active_deployment_id JOIN contents ON contents.id = content_id
    WHERE NOT EXISTS (SELECT 1 FROM encoding_claims WHERE encoding_claims.content_id = contents.id
      AND (ends_at IS NULL OR (holder <> ${holder} AND ends_at > ${now} AND ends_at < ${wrong})))`;
}

/**
 * Of two encoders that found the same contents, the second waits here and gets those that the first has not claimed.
 */
async function claim(
  tx: Drizzle,
  found: readonly FoundContent[],
  { holder, now, until, wrong }: Encoder & { readonly until: number; readonly wrong: number },
): Promise<readonly EncodingClaim[]> {
  const ids = found.map(({ id }) => id);
  const statement = sql`
    INSERT INTO encoding_claims AS claim (content_id, epoch, holder, ends_at)
    SELECT id, 1, ${holder}, CAST(${until} AS bigint) FROM contents WHERE ${isAnyOf(contents.id, ids, "bigint")} ORDER BY id
    ON CONFLICT (content_id) DO UPDATE SET epoch = claim.epoch + 1, holder = excluded.holder, ends_at = excluded.ends_at
      WHERE claim.holder = excluded.holder AND claim.ends_at IS NOT NULL OR claim.ends_at <= ${now} OR claim.ends_at >= ${wrong}
    RETURNING content_id AS id, epoch`;
  const claimed = await rowsOf<{ readonly id: string; readonly epoch: string }>(tx, statement);
  const epochs = new Map(claimed.map(({ id, epoch }) => [id, Number(epoch)]));
  return found.flatMap(({ id, digest, size }) => {
    const epoch = epochs.get(id);
    return epoch === undefined ? [] : [{ digest, size: Number(size), epoch }];
  });
}

/** Returns the ids of the contents whose outcome was recorded. */
async function record(tx: Drizzle, outcomes: readonly EncodingOutcome[], now: number): Promise<readonly number[]> {
  const byDigest = new Map(outcomes.map((outcome) => [outcome.digest, outcome]));
  const found = await tx
    .select({ id: contents.id, digest: contents.digest })
    .from(contents)
    .where(isAnyOf(contents.digest, [...byDigest.keys()], "text"));
  const known = rowsAs("outcome", {
    id: ["bigint", found.map(({ id }) => id)],
    epoch: ["bigint", found.map(({ digest }) => byDigest.get(digest)!.epoch)],
  });
  const finished = await rowsOf<{ readonly id: string }>(
    tx,
    sql`UPDATE encoding_claims AS claim SET ends_at = NULL FROM ${known}
      WHERE content_id = outcome.id AND claim.epoch = outcome.epoch AND claim.ends_at > ${now} RETURNING content_id AS id`,
  );
  const ids = finished.map(({ id }) => Number(id));
  const rows = found
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ id, digest }) =>
      (Object.entries(byDigest.get(digest)!.encodings) as [ContentCoding, EncodedContent][]).map(
        ([coding, encoded]) => ({
          contentId: id,
          coding,
          ...encoded,
        }),
      ),
    );
  if (rows.length === 0) return ids;
  await tx.insert(encodings).values(rows);
  // A file with the same bytes may have been condemned, and the encoder wrote it again.
  const encoded = rows.map(({ digest }) => digest);
  await tx
    .update(contents)
    .set({ condemnedAt: null })
    .where(isAnyOf(contents.digest, encoded, "text"));
  return ids;
}
