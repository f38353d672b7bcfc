import type { Backup, BackupList } from "../../api/types.ts";
import { formatBytes, sentence } from "../../format.ts";
import { everyText } from "./job-words.ts";

/** `Every day, keeps 14`. */
export function scheduleText({ every, keep }: NonNullable<BackupList["schedule"]>): string {
  return `${sentence(everyText(every))}, keeps ${keep}`;
}

/** The note below a backup's time; `bad` if something is wrong. The error that the schedule shows is not repeated. */
export function backupNote(
  backup: Backup,
  isVerifying: boolean,
  shownError: string | null,
): { readonly text: string; readonly bad: boolean } | null {
  if (backup.state === "running") return { text: `${Math.floor(backup.progress * 100)} % copied`, bad: false };
  if (isVerifying) return { text: "Verifying …", bad: false };
  if (backup.error !== null && backup.error === shownError) return { text: "Failed", bad: true };
  if (backup.error !== null) return { text: sentence(backup.error), bad: true };
  return null;
}

/** The size that a backup added; empty for a failed one. */
export function addedText({ state, bytes }: Backup): string {
  return state === "failed" ? "" : `+${formatBytes(bytes)}`;
}

/** Returns the command that restores a backup, or the newest. */
export function restoreCommand(to: string, id: string | null): string {
  const place = id === null ? to : `${to}#${id}`;
  return `vitrine restore ${/[^\w./:#-]/.test(place) ? `'${place}'` : place}`;
}
