import { Type as t } from "@sinclair/typebox";
import type { BackupOverview } from "../../domain/backups/manage.ts";
import { formatDuration } from "../../domain/duration.ts";
import type { BackupRecord } from "../../domain/model/backup-record.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull } from "./values.ts";

const BackupResponse = t.Object({
  id: t.String(),
  created_at: Moment,
  bytes: t.Integer({ description: "The bytes that it added: content of earlier backups is not copied again" }),
  state: oneOf(["running", "done", "failed"]),
  progress: t.Number({ minimum: 0, maximum: 1 }),
  error: orNull(t.String(), { description: "Why it failed, or what a verification found" }),
  verified_at: orNull(Moment, { description: "When it was last found to be whole" }),
});

export const BackupsResponse = namedSchema(
  "BackupsResponse",
  {
    backups: t.Array(BackupResponse),
    schedule: orNull(
      t.Object({
        to: t.String(),
        every: t.String(),
        keep: t.Integer(),
        next_at: orNull(Moment, { description: "Null while a backup runs" }),
        last_error: orNull(t.String(), { description: "Why the last attempt failed; null after a successful one" }),
      }),
      { description: "Null if backups are made on request only" },
    ),
  },
  {
    backups: [
      {
        id: "20261122T020000000Z",
        created_at: "2026-11-22T02:00:00.000Z",
        bytes: 1503238553,
        state: "done",
        progress: 1,
        error: null,
        verified_at: "2026-11-22T02:41:12.418Z",
      },
    ],
    schedule: {
      to: "s3://vitrine-backups/production?endpoint=https://s3.example.org",
      every: "1d",
      keep: 14,
      next_at: "2026-11-23T02:00:00.000Z",
      last_error: null,
    },
  },
);

export const BackupRequestedResponse = namedSchema(
  "BackupRequestedResponse",
  { id: t.String() },
  { id: "20261122T160512418Z" },
);

export function backupsResponse({ backups, schedule }: BackupOverview): typeof BackupsResponse.static {
  return {
    backups: backups.map(backupResponse),
    schedule: schedule && {
      to: schedule.to,
      every: formatDuration(schedule.every),
      keep: schedule.keep,
      next_at: momentOrNull(schedule.nextAt),
      last_error: schedule.lastError,
    },
  };
}

function backupResponse(from: BackupRecord): typeof BackupResponse.static {
  return {
    id: from.id,
    created_at: timestamp(from.createdAt),
    bytes: from.bytes,
    state: from.state,
    progress: Math.round(from.progress * 1000) / 1000,
    error: from.state === "running" ? null : from.error,
    verified_at: momentOrNull(from.verifiedAt),
  };
}
