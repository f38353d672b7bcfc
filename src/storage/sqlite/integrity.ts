import type { Database } from "bun:sqlite";
import { messageOf } from "../../domain/error-message.ts";
import { auditProblems } from "./audit.ts";

/**
 * Returns SQLite's findings about the file, and violations that no constraint can express. Reads the whole database.
 */
export function integrityProblems(raw: Database): string[] {
  try {
    return [...structuralProblems(raw), ...brokenRules(raw), ...auditProblems(raw)];
  } catch (error) {
    // A badly damaged file cannot be queried.
    return [messageOf(error)];
  }
}

/** Returns the latest of the recorded times. */
export function lastChangeAt(raw: Database): number | null {
  const latest = raw.query<{ at: number | null }, []>(
    `SELECT max(at) AS at FROM (
       SELECT max(created_at) AS at FROM deployments UNION ALL SELECT max(created_at) FROM users
       UNION ALL SELECT max(last_used_at) FROM sessions)`,
  );
  return latest.get()?.at ?? null;
}

function structuralProblems(raw: Database): string[] {
  const damage = raw.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const orphans = raw.query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check").all();
  return [
    ...damage.map((row) => row.integrity_check).filter((finding) => finding !== "ok"),
    ...orphans.map(({ table, parent }) => `a row of ${table} refers to one of ${parent} that is not there`),
  ];
}

function brokenRules(raw: Database): string[] {
  return RULES.flatMap(({ violations, sentence }) => {
    const rows = raw.query<{ subject: string }, []>(violations).all();
    return rows.map(({ subject }) => `${subject} ${sentence}`);
  });
}

const RULES: readonly { readonly violations: string; readonly sentence: string }[] = [
  {
    violations: `SELECT sites.name AS subject FROM sites JOIN deployments ON deployments.id = active_deployment_id
                 WHERE deployments.site_id != sites.id`,
    sentence: "has an active deployment of another site",
  },
  {
    violations: `SELECT sites.name AS subject FROM sites JOIN deployments ON deployments.site_id = sites.id
                 GROUP BY sites.id HAVING max(number) > last_number`,
    sentence: "has a deployment with a number that was not given out yet",
  },
  {
    violations: `SELECT sites.name || '#' || number AS subject FROM deployments JOIN sites ON sites.id = site_id
                 WHERE NOT EXISTS (SELECT 1 FROM manifests WHERE deployment_id = deployments.id)`,
    sentence: "has no manifest",
  },
  {
    violations: `SELECT sites.name || '#' || number AS subject FROM deployments JOIN sites ON sites.id = site_id
                 JOIN manifests ON manifests.deployment_id = deployments.id
                 WHERE file_count != (SELECT count(*) FROM deployment_files
                   JOIN contents ON contents.id = content_id WHERE deployment_id = deployments.id)`,
    sentence: "has another number of files than were deployed",
  },
];
