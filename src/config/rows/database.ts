import { hostname } from "node:os";
import { type DatabaseUrl, formatDatabaseUrl } from "../../domain/database-url.ts";
import { HOUR } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

/** The settings of a database that several nodes share, and of a node behind a load balancer. */
export const DATABASE_SETTINGS = settings({
  database: optionalSetting(
    parse.databaseUrl,
    "PostgreSQL database for the metadata, `postgres://user@host:port,host:port/database?sslmode=verify-full`, which several nodes share; they need `--content` too",
    { defaultText: "`vitrine.db` in the data folder", withoutSecrets },
  ),
  databasePassword: optionalSetting(
    parse.text("PASSWORD"),
    "password for `--database`, unless the URL has it; a variable keeps it out of the process list",
    { secret: true },
  ),
  nodeName: setting(
    parse.nodeName,
    () => hostname(),
    "name of this node in `vitrine nodes list`; only with `--database`",
    { defaultText: "host name" },
  ),
  isolatedFor: setting(
    parse.durationOrZero,
    HOUR,
    "time for which a node without a connection to `--database` serves public sites from what it has; 0 refuses at once",
  ),
  drainDelay: setting(
    parse.orOff(parse.durationWithin(1000, 300_000)),
    ({ database }) => (database === null ? null : 10_000),
    "time before a stop during which `GET /ready` already answers 503, so that a load balancer sends requests elsewhere",
    { defaultText: "`10s` with `--database`, else `off`" },
  ),
});

// --- internal ---

function withoutSecrets(url: DatabaseUrl | null): string {
  return url === null ? "" : formatDatabaseUrl(url);
}
