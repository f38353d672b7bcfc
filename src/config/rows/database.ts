import { hostname } from "node:os";
import { type DatabaseUrl, formatDatabaseUrl } from "../../domain/database-url.ts";
import { HOUR } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { type Known, setting } from "./setting.ts";

/** The settings of a database that several nodes share, and of a node behind a load balancer. */
export const DATABASE_SETTINGS = {
  database: setting({
    flag: "database",
    value: "URL",
    parse: parse.optional(parse.databaseUrl),
    default: null,
    defaultText: "`vitrine.db` in the data folder",
    help: "PostgreSQL database for the metadata, `postgres://user@host:port,host:port/database?sslmode=verify-full`, which several nodes share; they need `--content` too",
    withoutSecrets,
  }),
  databasePassword: setting({
    flag: "database-password",
    value: "PASSWORD",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "password for `--database`, unless the URL has it; a variable keeps it out of the process list",
    secret: true,
  }),
  nodeName: setting({
    flag: "node-name",
    value: "NAME",
    parse: parse.nodeName,
    default: () => hostname(),
    defaultText: "host name",
    help: "name of this node in `vitrine nodes list`; only with `--database`",
  }),
  isolatedFor: setting({
    flag: "isolated-for",
    value: "TIME",
    parse: parse.durationOrZero,
    default: HOUR,
    defaultText: "`1h`",
    help: "time for which a node without a connection to `--database` serves public sites from what it has; 0 refuses at once",
  }),
  drainDelay: setting({
    flag: "drain-delay",
    value: "TIME",
    parse: parse.orOff(parse.durationWithin(1000, 300_000)),
    default: ({ database }: Known) => (database === null ? null : 10_000),
    defaultText: "`10s` with `--database`, else `off`",
    help: "time before a stop during which `GET /ready` already answers 503, so that a load balancer sends requests elsewhere",
  }),
} as const;

// --- internal ---

function withoutSecrets(url: DatabaseUrl | null): string {
  return url === null ? "" : formatDatabaseUrl(url);
}
