import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

const MIB = 1024 * 1024;

/** The settings of memory and of retention times. */
export const STORAGE_SETTINGS = {
  cacheBytes: setting({
    flag: "cache-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 256 * MIB,
    defaultText: "`256MiB`",
    help: "memory for cached content, shared by all workers",
  }),
  answerBytes: setting({
    flag: "answer-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 128 * MIB,
    defaultText: "`128MiB`",
    help: "memory for answers over TLS that slow visitors have not taken yet; with none left, large files are answered 503",
  }),
  keepLast: setting({
    flag: "keep-last",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "number of newest deployments kept per site; the active one, the one before it and pinned ones are always kept",
  }),
  keepDays: setting({
    flag: "keep-days",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "days for which a deployment is kept after it was created or active; either rule keeps it",
  }),
  auditDays: setting({
    flag: "audit-days",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: 365,
    defaultText: "`365`",
    help: "days for which the audit log is kept; off keeps it forever",
  }),
} as const;
