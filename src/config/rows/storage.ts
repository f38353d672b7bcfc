import { MAX_GRACE_DAYS } from "../../domain/model/retention.ts";
import { DAY } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { setting, settings } from "./setting.ts";

const MIB = 1024 * 1024;

/** The settings of memory and of retention times. */
export const STORAGE_SETTINGS = settings({
  cacheBytes: setting(parse.bytes, 256 * MIB, "memory for cached content, shared by all workers"),
  answerBytes: setting(
    parse.bytes,
    128 * MIB,
    "memory for responses over TLS that slow visitors have not taken yet; with none left, large files are answered 503",
  ),
  keepLast: setting(
    parse.orOff(parse.wholeNumber(1)),
    null,
    "number of newest deployments kept per site; the active one, the one before it and pinned ones are always kept",
  ),
  keepDays: setting(
    parse.orOff(parse.wholeNumber(1)),
    null,
    "days for which a deployment is kept after it was created or active; either rule keeps it",
  ),
  grace: setting(
    parse.durationUpTo(MAX_GRACE_DAYS * DAY),
    7 * DAY,
    "time for which fingerprinted files of a replaced deployment are still served, up to 90d; 0 for none; sites may have their own",
  ),
  auditDays: setting(
    parse.orOff(parse.wholeNumber(1)),
    365,
    "days for which the audit log is kept; off keeps it forever",
  ),
});
