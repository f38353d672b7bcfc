import { eq, lte } from "drizzle-orm";
import { isCodeGoodFor } from "../../domain/access/visit.ts";
import type { VisitStore } from "../../domain/ports/store/visits.ts";
import type { Connection } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { visitCodes, visits } from "./schema.ts";

/** A prepared statement, because it runs for every request of a private site. */
const CHECK = `
  SELECT users.frozen IS NULL AND sessions.expires_at > $now AND sessions.last_used_at + sessions.idle_limit > $now
    AND (sites.owner_id = visits.user_id OR EXISTS (
      SELECT 1 FROM readers WHERE readers.site_id = visits.site_id AND readers.user_id = visits.user_id)) AS admitted
  FROM visits
  JOIN sessions ON sessions.id = visits.session_id
  JOIN users ON users.id = visits.user_id
  JOIN sites ON sites.id = visits.site_id
  WHERE visits.token_hash = $tokenHash AND visits.host = $host AND visits.site_id = $siteId AND visits.expires_at > $now`;

interface CheckParameters extends Record<string, string | number> {
  tokenHash: string;
  host: string;
  siteId: number;
  now: number;
}

export function visitStore({ raw, write }: Connection): VisitStore {
  const check = raw.prepare<{ admitted: number }, CheckParameters>(CHECK);
  return {
    async addCode(code) {
      const added = write((tx) => tx.insert(visitCodes).values(code).run());
      await addingTo("the session or the site", added);
    },

    async redeem(codeHash, use, { tokenHash, expiresAt }) {
      return write((tx) => {
        const code = tx.delete(visitCodes).where(eq(visitCodes.codeHash, codeHash)).returning().get();
        if (!code || !isCodeGoodFor(code, use)) return null;
        const { host, siteId, userId, sessionId } = code;
        tx.insert(visits).values({ tokenHash, host, siteId, userId, sessionId, expiresAt }).run();
        return code;
      });
    },

    async check(tokenHash, host, siteId, now) {
      const verdict = check.get({ tokenHash, host, siteId, now });
      if (!verdict) return "unknown";
      return verdict.admitted === 1 ? "admitted" : "refused";
    },

    async end(tokenHash) {
      await write((tx) => tx.delete(visits).where(eq(visits.tokenHash, tokenHash)).run());
    },

    async deleteExpired(now) {
      return write((tx) => {
        const codes = tx.delete(visitCodes).where(lte(visitCodes.expiresAt, now)).returning().all().length;
        return codes + tx.delete(visits).where(lte(visits.expiresAt, now)).returning().all().length;
      });
    },
  };
}
