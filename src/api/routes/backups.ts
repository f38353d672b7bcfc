import {
  deleteBackup,
  listBackups,
  openBackupArchive,
  requestBackup,
  requestVerification,
} from "../../domain/backups/manage.ts";
import { NEEDS_RECENT_SIGN_IN } from "../../domain/model/recent-sign-in.ts";
import type { BackupArchive } from "../../domain/ports/backup-place.ts";
import { pullStream } from "../../domain/pull-stream.ts";
import { connectionOf } from "../connection.ts";
import { rangedResponse } from "../ranged-response.ts";
import { reply, route } from "../route.ts";
import { BackupRequestedResponse, BackupsResponse, backupsResponse } from "../schemas/backups.ts";

const common = { tag: "Operators", auth: "operator" } as const;
const AWAY = "the place of the backups cannot be reached";
const errors = { 404: "the backup does not exist" };

export const backupRoutes = [
  route({
    ...common,
    endpoint: "GET /admin/backups",
    summary: "List backups, newest first, with their schedule",
    response: { 200: BackupsResponse },
    handler: async ({ caller, ports }) => backupsResponse(await listBackups(ports, caller)),
  }),

  route({
    ...common,
    endpoint: "POST /admin/backups",
    summary: "Back up now",
    description: `${NEEDS_RECENT_SIGN_IN} The backup begins within a second; its progress is in the list.`,
    response: { 202: BackupRequestedResponse },
    errors: { 409: "a backup is running" },
    audit: ({ backup_id: id }) => `Requested the backup ${id}`,
    handler: async ({ caller, ports }) => {
      const id = await requestBackup(ports, caller);
      return reply({ id }, { audit: { backup_id: id } });
    },
  }),

  route({
    ...common,
    endpoint: "GET /admin/backups/:backup_id/archive",
    summary: "Download a backup as one file",
    description: `${NEEDS_RECENT_SIGN_IN} \`vitrine restore FILE\` takes the file. Ranges continue a download.`,
    produces: "application/x-tar",
    ranged: true,
    errors: { ...errors, 409: "the backup is not complete", 503: AWAY },
    audit: ({ backup_id: id }) => `Downloaded the backup ${id}`,
    handler: async ({ caller, params, request, ports }) => {
      const archive = await openBackupArchive(ports, caller, params.backup_id);
      connectionOf(request).allowSlowResponse();
      return archiveResponse(request, params.backup_id, archive, ports.report);
    },
  }),

  route({
    ...common,
    endpoint: "POST /admin/backups/:backup_id/verify",
    summary: "Verify a backup",
    description: "Reads all of it and compares it with its digests. The list then has `verified_at`, or an `error`.",
    response: { 202: BackupRequestedResponse },
    errors: { ...errors, 409: "the backup is not complete" },
    audit: ({ backup_id: id }) => `Requested a verification of the backup ${id}`,
    handler: async ({ caller, params, ports }) => {
      await requestVerification(ports, caller, params.backup_id);
      return { id: params.backup_id };
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /admin/backups/:backup_id",
    summary: "Delete a backup",
    description: `${NEEDS_RECENT_SIGN_IN} Content that no other backup needs is deleted with the next one.`,
    errors: { ...errors, 409: "the backup is running or is being verified", 503: AWAY },
    audit: ({ backup_id: id }) => `Deleted the backup ${id}`,
    handler: ({ caller, params, ports }) => deleteBackup(ports, caller, params.backup_id),
  }),
];

// --- internal ---

/** The bytes of a backup's archive never change, so its name identifies them. */
function archiveResponse(
  request: Request,
  id: string,
  archive: BackupArchive,
  report: (error: unknown) => void,
): Response {
  return rangedResponse(request, {
    etag: `"${id}"`,
    size: archive.size,
    headers: {
      "Content-Type": "application/x-tar",
      "Content-Disposition": `attachment; filename="vitrine-${id}.tar"`,
      "Cache-Control": "private, no-store",
    },
    open: (start, end) => streamOf(archive.read({ start, end }), report),
  });
}

/** Larger chunks would be held in memory for a slow client. */
const PIECE_BYTES = 64 * 1024;

/** Sends chunks as fast as the client reads them. */
function streamOf(chunks: AsyncIterable<Uint8Array>, report: (error: unknown) => void): ReadableStream<Uint8Array> {
  const pieces = piecesOf(chunks);
  return pullStream({
    next: async () => (await pieces.next()).value ?? null,
    close: () => pieces.return(undefined),
    failed: report,
  });
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.slice(at, at + PIECE_BYTES);
  }
}
