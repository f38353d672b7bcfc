import type { AuditEntry } from "../../api/types.ts";

/** A preview that an agent made. */
export interface MadePreview {
  readonly site: string;
  readonly number: number;
}

/** Returns the preview of a record; null if it is about something else. */
export function previewIn({
  action,
  site,
  subject,
}: Pick<AuditEntry, "action" | "site" | "subject">): MadePreview | null {
  if (action !== "POST /deploy" || site === null) return null;
  const fields = new URLSearchParams(subject.replaceAll(" ", "&"));
  const number = Number(fields.get("deployment_number"));
  return fields.get("preview") === "yes" && Number.isSafeInteger(number) && number > 0 ? { site, number } : null;
}
