import { aliasedTable, type Column, inArray, type SQL, sql } from "drizzle-orm";
import { OPEN_STATUSES } from "../../domain/model/claim.ts";
import { DAY } from "../../domain/timestamp.ts";
import { claims, deployments, sites, viewDays } from "./schema.ts";

/** The figures of a site in the operators' list. Each is an indexed read of the site's own rows. */
export function siteFigures(now: number) {
  const from = Math.floor(now / DAY) - 29;
  const recent = (column: Column) =>
    figure(
      sql`SELECT coalesce(sum(${column}), 0) FROM ${viewDays} WHERE ${viewDays.siteId} = ${sites.id} AND ${viewDays.day} >= ${from}`,
    );
  // The query itself joins the active deployment.
  const kept = aliasedTable(deployments, "kept");
  const ofKept = (value: SQL) =>
    figure(sql`SELECT ${value} FROM ${deployments} AS "kept" WHERE ${kept.siteId} = ${sites.id}`);
  const openClaims = sql`${inArray(claims.status, OPEN_STATUSES)} AND ${claims.withdrawnAt} IS NULL`;
  return {
    deployments: ofKept(sql`count(*)`),
    keptBytes: ofKept(sql`coalesce(sum(${kept.sizeBytes}), 0)`),
    recentViews: recent(viewDays.views),
    recentTraffic: recent(viewDays.bytes),
    domains: figure(sql`SELECT count(*) FROM ${claims} WHERE ${claims.siteId} = ${sites.id} AND ${openClaims}`),
  };
}

// --- internal ---

function figure(query: SQL): SQL<number> {
  return sql`(${query})`.mapWith(Number);
}
