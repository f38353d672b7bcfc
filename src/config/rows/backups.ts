import { DAY, MINUTE } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { type Known, setting } from "./setting.ts";

/** The settings of backups and of the operator's webhook. */
export const BACKUP_SETTINGS = {
  backupTo: setting({
    flag: "backup-to",
    value: "PLACE",
    parse: parse.optional(parse.backupDestination),
    default: null,
    defaultText: "`backups` in the data folder",
    help: "where backups go: a folder, or `s3://bucket/prefix?endpoint=URL&region=NAME` with the keys below; each server needs its own",
  }),
  backupEvery: setting({
    flag: "backup-every",
    value: "TIME",
    parse: parse.orOff(parse.durationWithin(MINUTE, 365 * DAY)),
    default: ({ backupTo }: Known) => (backupTo === null ? null : DAY),
    defaultText: "`1d` with `--backup-to`, else `off`",
    help: "time between backups, at least 1m; off makes them on request only",
  }),
  backupKeep: setting({
    flag: "backup-keep",
    value: "N",
    parse: parse.wholeNumber(1, 1000),
    default: 14,
    defaultText: "`14`",
    help: "number of newest backups that are kept; content that none of them needs is deleted",
  }),
  s3AccessKeyId: setting({
    flag: "s3-access-key-id",
    value: "ID",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "access key for content and backups in S3",
    secret: true,
  }),
  s3SecretAccessKey: setting({
    flag: "s3-secret-access-key",
    value: "KEY",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "secret key for content and backups in S3; a variable keeps it out of the process list",
    secret: true,
  }),
  operatorWebhook: setting({
    flag: "operator-webhook",
    value: "URL",
    parse: parse.optional(parse.webUrl),
    default: null,
    defaultText: "none",
    help: "URL that receives events for failing backups, a disk that is nearly full, and failing certificates",
  }),
  operatorWebhookSecret: setting({
    flag: "operator-webhook-secret",
    value: "SECRET",
    parse: parse.optional(parse.webhookSecret),
    default: null,
    defaultText: "none",
    help: "secret that signs calls of the operator's webhook: `whsec_` and 24 to 64 random bytes in base64",
    secret: true,
  }),
} as const;
