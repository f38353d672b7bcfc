import { sql } from "drizzle-orm";
import { auditProblems } from "./audit.ts";
import type { Drizzle } from "./connection.ts";
import { rowsOf } from "./rows.ts";

/** Returns violations that no constraint can express: rows that must belong together, and the chain of the audit log. */
export async function brokenRules(db: Drizzle): Promise<string[]> {
  const broken: string[] = [];
  for (const { violations, sentence } of RULES) {
    const rows = await rowsOf<{ subject: string }>(db, violations);
    broken.push(...rows.map(({ subject }) => `${subject} ${sentence}`));
  }
  return [...broken, ...(await auditProblems(db))];
}

/** Returns the latest of the times that changes record. */
export async function lastChangeAt(db: Drizzle): Promise<number | null> {
  const [latest] = await rowsOf<{ at: string | null }>(
    db,
    sql`SELECT max(at) AS at FROM (
      SELECT max(created_at) AS at FROM deployments UNION ALL SELECT max(created_at) FROM users
      UNION ALL SELECT max(last_used_at) FROM sessions) AS times`,
  );
  return latest?.at == null ? null : Number(latest.at);
}

// --- internal ---

const RULES = [
  {
    violations: sql`SELECT sites.name AS subject FROM sites JOIN deployments ON deployments.id = active_deployment_id
      WHERE deployments.site_id != sites.id`,
    sentence: "has an active deployment of another site",
  },
  {
    violations: sql`SELECT sites.name AS subject FROM sites JOIN deployments ON deployments.site_id = sites.id
      GROUP BY sites.id HAVING max(number) > last_number`,
    sentence: "has a deployment with a number that was not given out yet",
  },
  {
    violations: sql`SELECT sites.name || '#' || number AS subject FROM deployments JOIN sites ON sites.id = site_id
      WHERE NOT EXISTS (SELECT 1 FROM manifests WHERE deployment_id = deployments.id)`,
    sentence: "has no manifest",
  },
  {
    violations: sql`SELECT sites.name || '#' || number AS subject FROM deployments JOIN sites ON sites.id = site_id
      WHERE EXISTS (SELECT 1 FROM manifests WHERE deployment_id = deployments.id)
        AND file_count != (SELECT count(*) FROM deployment_files JOIN contents ON contents.id = content_id
          WHERE deployment_id = deployments.id)`,
    sentence: "has another number of files than were deployed",
  },
] as const;
