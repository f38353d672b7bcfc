/** The filters of the audit log as typed; empty for no filter. Dates are `2026-11-22`. */
export interface AuditFilter {
  readonly actor: string;
  readonly site: string;
  /** An operation as in the API, such as `POST /deploy`. */
  readonly action: string;
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: AuditFilter = { actor: "", site: "", action: "", from: "", to: "" };

/** Returns the query of the API. Days are in the browser's time zone, and the last one is included. */
export function auditQuery({ actor, site, action, from, to }: AuditFilter): string {
  const query = new URLSearchParams({
    actor: actor.trim(),
    site: site.trim(),
    action: action.trim(),
    from: beginningOf(from, 0),
    to: beginningOf(to, 1),
  });
  for (const [name, value] of [...query]) if (value === "") query.delete(name);
  return query.toString();
}

function beginningOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return day === "" ? "" : new Date(year, month - 1, date + later).toISOString();
}
