import type { Database } from "bun:sqlite";
import type { ContentCoding, EncodingStore } from "../../domain/ports/store/encodings.ts";
import { ENCODED } from "../../domain/ports/store/routing.ts";
import type { Connection } from "./connection.ts";

/** Identifies a claimant. Claims that end at or after `wrong` are void. */
type Claimant = Readonly<Record<"now" | "wrong", number>> & { readonly holder: string };

const CLAIMABLE = `
  FROM sites JOIN deployment_contents ON deployment_id = active_deployment_id JOIN contents ON contents.id = content_id
  WHERE NOT EXISTS (SELECT 1 FROM encoding_claims WHERE encoding_claims.content_id = contents.id
    AND (ends_at IS NULL OR (holder <> $holder AND ends_at > $now AND ends_at < $wrong)))`;

export function encodingStore({ raw, writeRelaxed, writeRouting }: Connection): EncodingStore {
  const { pending, anyPending, claim, finish, add, keep } = prepareStatements(raw);

  return {
    async isPending({ holder, now }, siteIds = null) {
      const wrong = Number.MAX_SAFE_INTEGER;
      return anyPending.get({ holder, now, wrong, siteIds: siteIds && JSON.stringify(siteIds) }) !== null;
    },

    async claim({ holder, now, until }, limit) {
      // A claim that ends more than twice as far ahead comes from a wrong clock.
      const wrong = now + 2 * (until - now);
      // Searched outside the transaction, because that takes long with much content, and writers would wait.
      const found = pending.all({ holder, now, wrong, limit });
      if (found.length === 0) return [];
      return writeRelaxed(() =>
        found.flatMap(({ id, digest, size }) => {
          const claimed = claim.get(holder, until, id, now, wrong);
          return claimed === null ? [] : [{ digest, size, epoch: claimed.epoch }];
        }),
      );
    },

    async record(outcomes, now) {
      if (outcomes.length === 0) return 0;
      return writeRouting((_, affects) => {
        affects(ENCODED);
        const claims = outcomes.map(({ digest, epoch, encodings }) => {
          const claimed = finish.get(digest, epoch, now);
          if (claimed === null) return false;
          for (const [coding, encoded] of Object.entries(encodings)) {
            add.run(claimed.id, coding as ContentCoding, encoded.digest, encoded.size);
            // A file with the same bytes may have been condemned, and the encoder wrote it again.
            keep.run(encoded.digest);
          }
          return true;
        });
        return claims.filter(Boolean).length;
      });
    },
  };
}

// --- internal ---

function prepareStatements(raw: Database) {
  return {
    pending: raw.prepare<{ id: number; digest: string; size: number }, Claimant & { readonly limit: number }>(
      `SELECT DISTINCT contents.id, digest, size ${CLAIMABLE} ORDER BY contents.id DESC LIMIT $limit`,
    ),
    anyPending: raw.prepare<unknown, Claimant & { readonly siteIds: string | null }>(
      `SELECT 1 ${CLAIMABLE} AND ($siteIds IS NULL OR sites.id IN (SELECT value FROM json_each($siteIds))) LIMIT 1`,
    ),
    claim: raw.prepare<{ epoch: number }, [string, number, number, number, number]>(
      `INSERT INTO encoding_claims (content_id, epoch, holder, ends_at) SELECT id, 1, ?, ? FROM contents WHERE id = ?
       ON CONFLICT (content_id) DO UPDATE SET epoch = epoch + 1, holder = excluded.holder, ends_at = excluded.ends_at
       WHERE holder = excluded.holder AND ends_at IS NOT NULL OR ends_at <= ? OR ends_at >= ?
       RETURNING epoch`,
    ),
    finish: raw.prepare<{ id: number }, [string, number, number]>(
      `UPDATE encoding_claims SET ends_at = NULL
       WHERE content_id = (SELECT id FROM contents WHERE digest = ?) AND epoch = ? AND ends_at > ?
       RETURNING content_id AS id`,
    ),
    add: raw.prepare<void, [number, ContentCoding, string, number]>(
      "INSERT INTO encodings (content_id, coding, digest, size) VALUES (?, ?, ?, ?)",
    ),
    keep: raw.prepare<void, [string]>("UPDATE contents SET condemned_at = NULL WHERE digest = ?"),
  };
}
