import { and, eq, gt, lte, sql } from "drizzle-orm";
import { isCodeGoodFor } from "../../domain/access/visit.ts";
import type { VisitStore } from "../../domain/ports/store/visits.ts";
import type { Connection } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { prepared } from "./prepared.ts";
import { isReader, memberRole, PERSON } from "./roles.ts";
import { deleteRows, first } from "./rows.ts";
import { sessions, sites, users, visitCodes, visits } from "./schema.ts";

export function visitStore({ read, write }: Connection): VisitStore {
  return {
    async addCode(code) {
      const added = write((tx) => tx.insert(visitCodes).values(code));
      await addingTo("the session or the site", added);
    },

    async redeem(codeHash, use, { tokenHash, expiresAt }) {
      return write(async (tx) => {
        const code = await first(tx.delete(visitCodes).where(eq(visitCodes.codeHash, codeHash)).returning());
        if (!code || !isCodeGoodFor(code, use)) return null;
        const { host, siteId, userId, sessionId } = code;
        await tx.insert(visits).values({ tokenHash, host, siteId, userId, sessionId, expiresAt });
        return code;
      });
    },

    async check(tokenHash, host, siteId, now) {
      const verdict = await read((db) => first(admission(db, { tokenHash, host, siteId, now })));
      if (!verdict) return "unknown";
      return verdict.admitted ? "admitted" : "refused";
    },

    async deleteExpired(now) {
      return write(async (tx) => {
        const codes = await deleteRows(tx, visitCodes, lte(visitCodes.expiresAt, now));
        return codes + (await deleteRows(tx, visits, lte(visits.expiresAt, now)));
      });
    },
  };
}

// --- internal ---

const visitor = { ...PERSON, id: visits.userId };

/** Whether the user may still read the site, the session has not ended, and the account is not frozen. */
const isAdmitted = sql`${users.frozen} IS NULL
  AND ${sessions.expiresAt} > ${sql.placeholder("now")} AND ${sessions.lastUsedAt} + ${sessions.idleLimit} > ${sql.placeholder("now")}
  AND (${memberRole(visitor)} IS NOT NULL OR ${isReader(visits.siteId, visitor)})`;

/** Runs for every request of a private site. */
const admission = prepared((db) =>
  db
    .select({ admitted: isAdmitted.mapWith(Boolean) })
    .from(visits)
    .innerJoin(sessions, eq(sessions.id, visits.sessionId))
    .innerJoin(users, eq(users.id, visits.userId))
    .innerJoin(sites, eq(sites.id, visits.siteId))
    .where(
      and(
        eq(visits.tokenHash, sql.placeholder("tokenHash")),
        eq(visits.host, sql.placeholder("host")),
        eq(visits.siteId, sql.placeholder("siteId")),
        gt(visits.expiresAt, sql.placeholder("now")),
      ),
    ),
);
