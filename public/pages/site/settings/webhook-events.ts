/** The labels of event types. */
export const EVENTS: readonly (readonly [type: string, words: string])[] = [
  ["deployment.published", "Deployment published"],
  ["deployment.activated", "Deployment activated"],
  ["deployment.deleted", "Deployments deleted"],
  ["preview.created", "Preview created"],
  ["preview.expired", "Preview expired"],
  ["alias.moved", "Alias moved"],
  ["report.ready", "Report ready"],
  ["site.expiring", "Site expires soon"],
  ["site.deleted", "Site deleted"],
  ["domain.verified", "Domain verified"],
  ["domain.connected", "Domain connected"],
  ["domain.action_needed", "Domain needs attention"],
  ["domain.removed", "Domain removed"],
  ["certificate.issued", "Certificate issued"],
  ["certificate.renewed", "Certificate renewed"],
  ["certificate.failing", "Certificate failing"],
];

/** Event types of later versions have no label and are shown as they are. */
export function wordsOf(type: string): string {
  return type === "ping" ? "Test" : (EVENTS.find(([known]) => known === type)?.[1] ?? type);
}

/** Describes the events of a webhook: a few by name, many by number. */
export function summaryOf(events: readonly string[] | null): string {
  if (events === null) return "All events";
  return events.length > 3 ? `${events.length} events` : events.map(wordsOf).join(", ");
}

/** Returns the API value of the chosen types. If all are chosen it is null, which includes future types. */
export function wanted(chosen: readonly string[]): readonly string[] | null {
  return chosen.length === EVENTS.length ? null : chosen;
}
