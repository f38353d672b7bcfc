import { Database } from "bun:sqlite";
import { join } from "node:path";

const DAY_MS = 86_400_000;

/**
 * Copies a site many times in the database, with `deployments` in total and the views of its last 60 days. It uses SQL,
 * because uploads would take minutes. 2,000 sites and 10,000 deployments take a few seconds. The sites are called
 * `site-0001` and so on.
 */
export function copySite(dataDir: string, template: string, { sites, deployments }: ManySites): void {
  const db = new Database(join(dataDir, "vitrine.db"));
  db.run("PRAGMA busy_timeout = 10000");
  const each = Math.max(1, Math.round(deployments / sites));
  const known = db
    .query<{ id: number; active: number; at: number }, [string]>(
      "SELECT id, active_deployment_id AS active, last_deployed_at AS at FROM sites WHERE name = ?",
    )
    .get(template);
  if (!known) throw new Error(`deploy the site ${template} first`);
  const { id, active, at } = known;
  db.transaction(() => {
    db.run("CREATE TEMP TABLE copies (n INTEGER PRIMARY KEY)");
    db.run(
      "INSERT INTO copies WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT n FROM c",
      [sites],
    );
    copy(db, "sites", `sites.id = ${id}`, "JOIN copies", {
      name: "printf('site-%04d', n)",
      private: "n % 9 = 0",
      active_deployment_id: "NULL",
      last_number: `${each}`,
      last_deployed_at: `${at} - (n * 7919 % 400) * ${DAY_MS / 4}`,
      total_views: "n * 37 % 5000",
    });
    db.run("CREATE TEMP TABLE made AS SELECT id, name FROM sites WHERE name LIKE 'site-____'");
    copy(db, "deployments", `deployments.id = ${active}`, `JOIN made JOIN copies ON n <= ${each}`, {
      site_id: "made.id",
      number: "n",
      created_at: `${at} - (${each} - n) * ${DAY_MS}`,
    });
    db.run(`UPDATE sites SET active_deployment_id =
      (SELECT id FROM deployments WHERE site_id = sites.id AND number = ${each}) WHERE id IN (SELECT id FROM made)`);
    const actives = "JOIN sites AS owner ON owner.id IN (SELECT id FROM made)";
    for (const table of ["manifests", "deployment_files", "deployment_contents"]) {
      copy(db, table, `${table}.deployment_id = ${active}`, actives, { deployment_id: "owner.active_deployment_id" });
    }
    copy(db, "view_days", `view_days.site_id = ${id}`, "JOIN made", {
      site_id: "made.id",
      views: "abs(view_days.views * ((made.id * 31 + day * 17) % 50) / 25)",
    });
  })();
  db.close();
}

interface ManySites {
  readonly sites: number;
  /** The number of deployments of all sites together. */
  readonly deployments: number;
}

/** Copies the matching rows of a table once for each row of the join, with other values for some columns. */
function copy(db: Database, table: string, where: string, join: string, values: Record<string, string>): void {
  const columns = db
    .query<{ name: string; pk: number; type: string }, []>(`PRAGMA table_info(${table})`)
    .all()
    .filter(({ name }) => name !== "id")
    .map(({ name }) => name);
  const selected = columns.map((name) => values[name] ?? `${table}.${name}`);
  db.run(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${selected.join(", ")} FROM ${table} ${join} WHERE ${where}`,
  );
}
