import { DAY, MINUTE } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

/** The settings of backups and of the operator's webhook. */
export const BACKUP_SETTINGS = settings({
  backupTo: optionalSetting(
    parse.backupDestination,
    "where backups go: a folder, or `s3://bucket/prefix?endpoint=URL&region=NAME` with the keys below; each server needs its own",
    { defaultText: "`backups` in the data folder" },
  ),
  backupEvery: setting(
    parse.orOff(parse.durationWithin(MINUTE, 365 * DAY)),
    ({ backupTo }) => (backupTo === null ? null : DAY),
    "time between backups, at least 1m; off makes them on request only",
    { defaultText: "`1d` with `--backup-to`, else `off`" },
  ),
  backupKeep: setting(
    parse.wholeNumber(1, 1000),
    14,
    "number of newest backups that are kept; content that none of them needs is deleted",
  ),
  s3AccessKeyId: optionalSetting(parse.text("ID"), "access key for content and backups in S3", {
    secret: true,
  }),
  s3SecretAccessKey: optionalSetting(
    parse.text("KEY"),
    "secret key for content and backups in S3; a variable keeps it out of the process list",
    { secret: true },
  ),
  operatorWebhook: optionalSetting(
    parse.webUrl,
    "URL that receives events for failing backups, a disk that is nearly full, and failing certificates",
  ),
  operatorWebhookSecret: optionalSetting(
    parse.webhookSecret,
    "secret that signs calls of the operator's webhook: `whsec_` and 24 to 64 random bytes in base64",
    { secret: true },
  ),
});
