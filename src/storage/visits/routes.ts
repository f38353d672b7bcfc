import type { Database } from "bun:sqlite";
import type { ClaimStore } from "../../domain/ports/store/claims.ts";
import type { AliasRoute, PreviewStore } from "../../domain/ports/store/previews.ts";
import type { RenamedSite, SiteRoute, SiteStore } from "../../domain/ports/store/sites.ts";

/** SQLite has no booleans. */
type Flag = "private" | "frozen" | "expired";
type RouteRow = Omit<SiteRoute, Flag> & Readonly<Record<Flag, number>>;

const COLUMNS = `
  sites.id AS siteId, sites.name AS siteName, private, preview_access AS previewAccess, grace_days AS graceDays,
  expired, active_deployment_id AS activeDeploymentId, deployments.number AS activeDeployment,
  deployments.activated_at AS activatedAt, coalesce(sites.frozen, users.frozen) IS NOT NULL AS frozen`;

const JOINS = `
  JOIN users ON users.id = sites.owner_id LEFT JOIN deployments ON deployments.id = sites.active_deployment_id`;

/** The parts of the store that find what a host shows. */
export interface RouteReader {
  readonly sites: Pick<SiteStore, "findRoute" | "findRenamed">;
  readonly claims: Pick<ClaimStore, "findRouted" | "canonicalHostname">;
  readonly previews: Pick<PreviewStore, "findRoute" | "hasExpired">;
}

/**
 * Prepared statements, because they run for every host whose route is not cached, known or not. Without the plus before
 * a parameter, SQLite would compile them again for each value, to see whether it fits a partial index.
 */
export function routeReader(raw: Database): RouteReader {
  const bySite = raw.prepare<RouteRow, [string]>(`SELECT ${COLUMNS} FROM sites ${JOINS} WHERE sites.name = +?`);
  const renamed = raw.prepare<RenamedSite, [string]>(`
    SELECT sites.id AS siteId, sites.name AS siteName FROM former_names JOIN sites ON sites.id = site_id
    WHERE former_names.name = +? AND free_at IS NOT NULL`);
  const byHostname = raw.prepare<RouteRow & { readonly alias: string | null }, [string]>(`
    SELECT ${COLUMNS}, alias FROM claims JOIN sites ON sites.id = claims.site_id ${JOINS}
    WHERE hostname = +? AND route_status = 'routed'`);
  const canonical = raw.prepare<{ hostname: string }, [number]>(`
    SELECT hostname FROM claims WHERE site_id = +? AND route_status = 'routed' AND alias IS NULL AND activated_at > 0
    ORDER BY activated_at, id LIMIT 1`);
  const alias = raw.prepare<AliasRoute, [number, string]>(`
    SELECT deployment_id AS deploymentId, number AS deploymentNumber, activated_at AS activatedAt,
      updated_at AS updatedAt
    FROM aliases JOIN deployments ON deployments.id = deployment_id WHERE aliases.site_id = +? AND aliases.name = +?`);
  const expired = raw.prepare<unknown, [number, string]>(
    "SELECT 1 FROM expired_previews WHERE site_id = ? AND label = ?",
  );
  return {
    sites: {
      async findRoute(name) {
        const row = bySite.get(name);
        return row && toRoute(row);
      },
      findRenamed: async (name) => renamed.get(name),
    },
    claims: {
      async findRouted(hostname) {
        const row = byHostname.get(hostname);
        return row && { ...toRoute(row), alias: row.alias };
      },
      canonicalHostname: async (siteId) => canonical.get(siteId)?.hostname ?? null,
    },
    previews: {
      findRoute: async (siteId, name) => alias.get(siteId, name),
      hasExpired: async (siteId, label) => expired.get(siteId, label) !== null,
    },
  };
}

// --- internal ---

function toRoute(row: RouteRow): SiteRoute {
  return { ...row, private: row.private === 1, frozen: row.frozen === 1, expired: row.expired === 1 };
}
