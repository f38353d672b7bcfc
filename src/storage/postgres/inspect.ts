import type { DatabaseUrl, Host } from "../../domain/database-url.ts";
import type { DatabaseServer, PrimaryServer } from "../../domain/maintenance/examine-cluster.ts";
import { withDeadline } from "./deadline.ts";
import { knownSchema } from "./migrate.ts";
import { closePool, openHost, type Pool, ReplicaServer } from "./pool.ts";
import { reasonOf } from "./reasons.ts";

/** Milliseconds for each server to answer. */
const DEADLINE_MS = 5000;

/** Asks each server in the URL about itself, and changes nothing. */
export function inspectServers(url: DatabaseUrl, deadline = DEADLINE_MS): Promise<DatabaseServer[]> {
  return Promise.all(url.hosts.map((host) => inspectServer(url, host, deadline)));
}

// --- internal ---

async function inspectServer(url: DatabaseUrl, host: Host, deadline: number): Promise<DatabaseServer> {
  const place = `${host.hostname}:${host.port}`;
  try {
    const { sql } = await openHost(url, host, { max: 1, deadline });
    const close = () => closePool(sql, 0);
    try {
      return { place, ...(await withDeadline(() => inspectPrimary(sql), deadline, close)) };
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof ReplicaServer) return { place, role: "replica" };
    return { place, role: "unusable", reason: reasonOf(error) };
  }
}

async function inspectPrimary(sql: Pool["sql"]): Promise<PrimaryServer> {
  const sent = Date.now();
  const [row] = await sql`
    SELECT current_setting('server_version') AS version,
      coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
      inet_client_addr() IS NULL OR inet_client_addr() = inet_server_addr() AS local,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
      to_regclass('log_counters') IS NOT NULL AS migrated`;
  const received = Date.now();
  const meta = row.migrated ? await sql`SELECT key, value::float8 AS value FROM meta` : [];
  const numberOf = (key: string): number | null =>
    meta.find((entry: { key: string }) => entry.key === key)?.value ?? null;
  return {
    role: "primary",
    version: row.version,
    isEncrypted: row.encrypted,
    isLocal: row.local,
    // The response is from some time between both.
    clockAhead: Math.trunc(differenceFrom(row.now, sent, received)),
    schema: numberOf("schema") ?? 0,
    knownSchema: knownSchema(),
    movedAt: numberOf("moved_at"),
  };
}

function differenceFrom(at: number, earliest: number, latest: number): number {
  if (at < earliest) return at - earliest;
  return Math.max(0, at - latest);
}
