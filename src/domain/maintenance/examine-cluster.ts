import { type Finding, ok, problem, warning } from "../model/finding.ts";
import type { NodeStatus } from "../ports/store/nodes.ts";
import { SECOND, timestamp } from "../timestamp.ts";

/** What a server in the database's URL says about itself. `place` is its host and port. */
export type DatabaseServer = { readonly place: string } & (
  | { readonly role: "unusable"; readonly reason: string }
  | { readonly role: "replica" }
  | PrimaryServer
);

export interface PrimaryServer {
  readonly role: "primary";
  readonly version: string;
  readonly isEncrypted: boolean;
  /** Whether it is on this machine. */
  readonly isLocal: boolean;
  /** Milliseconds by which its clock is ahead. */
  readonly clockAhead: number;
  /** The number of its schema, 0 for an empty database, and the newest one that this executable knows. */
  readonly schema: number;
  readonly knownSchema: number;
  /** When the metadata was moved to a data folder, in milliseconds since the epoch; null if it is here. */
  readonly movedAt: number | null;
}

/** Visits are answered by leases that allow for no difference, but times that people see would be wrong. */
const TOLERABLE_DIFFERENCE = 2 * SECOND;

/** Changes by which a live node may be behind for a moment. */
const TOLERABLE_CHANGES = 1000;

/** Checks the servers in the URL of the database. */
export function examineServers(servers: readonly DatabaseServer[]): Finding[] {
  const findings = servers.flatMap(examineServer);
  if (servers.some(({ role }) => role === "primary")) return findings;
  const others = servers.filter(({ role }) => role === "replica").map(({ place }) => place);
  if (others.length === 0) return findings.map((finding) => ({ ...finding, verdict: "problem" }));
  return [
    ...findings,
    problem("database", `${others.join(", ")} takes no changes`, "add the URL of the primary to --database"),
  ];
}

/** Checks the nodes that share the database. `newestChange` is the end of the log that they apply. */
export function examineNodes(nodes: readonly NodeStatus[], newestChange: number): Finding[] {
  const silent = nodes.filter(({ state }) => state === "isolated");
  const slow = nodes.filter(({ state, applied }) => state === "live" && newestChange - applied > TOLERABLE_CHANGES);
  const findings = [
    ...silent.map(({ name, lastSeenAt }) =>
      warning(
        "nodes",
        `${name} has not reached the database since ${timestamp(lastSeenAt)}`,
        "start it, or look at its log and its network",
      ),
    ),
    ...slow.map(({ name, applied }) =>
      warning("nodes", `${name} is ${newestChange - applied} changes behind`, "look at its log and its disk"),
    ),
  ];
  if (findings.length > 0) return findings;
  if (nodes.length === 0) return [ok("nodes", "none is running")];
  return [ok("nodes", nodes.map(({ name, state }) => `${name} is ${state}`).join(", "))];
}

// --- internal ---

function examineServer(server: DatabaseServer): Finding[] {
  const { place } = server;
  if (server.role === "unusable") {
    return [
      warning("database", `${place} cannot be used: ${server.reason}`, "correct that, or remove it from --database"),
    ];
  }
  if (server.role === "replica") return [ok("database", `${place} is a replica, for when the primary fails`)];
  return [
    examineSchema(server, `${place}, PostgreSQL ${server.version},`),
    ...(server.isEncrypted || server.isLocal ? [] : [unencrypted(place)]),
    ...examineDifference(server),
  ];
}

function examineSchema({ schema, knownSchema, movedAt }: PrimaryServer, server: string): Finding {
  if (movedAt !== null) {
    return problem(
      "database",
      `${server} was moved to a data folder at ${timestamp(movedAt)}`,
      "start the server there without --database",
    );
  }
  if (schema === 0) return warning("database", `${server} is empty`, "vitrine serve creates its tables");
  if (schema < knownSchema) {
    return warning("database", `${server} is of an earlier version`, "the next start of vitrine serve upgrades it");
  }
  return ok("database", `${server} is the primary`);
}

function unencrypted(place: string): Finding {
  return warning(
    "database",
    `connections to ${place} are not encrypted`,
    "add ?sslmode=verify-full to --database, and set ssl = on at the server",
  );
}

function examineDifference({ clockAhead }: PrimaryServer): Finding[] {
  if (Math.abs(clockAhead) <= TOLERABLE_DIFFERENCE) return [];
  const detail = `differs by ${Math.round(Math.abs(clockAhead) / SECOND)} s from PostgreSQL's`;
  return [warning("clock", detail, "keep both synchronized: timedatectl set-ntp true")];
}
