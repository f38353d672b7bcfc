/** What a webhook can hear of, in words. */
export const EVENTS: readonly (readonly [type: string, words: string])[] = [
  ["deployment.published", "Deployment published"],
  ["deployment.activated", "Deployment activated"],
  ["deployment.deleted", "Old deployments deleted"],
  ["preview.created", "Preview created"],
  ["preview.expired", "Preview expired"],
  ["alias.moved", "Alias moved"],
  ["site.deleted", "Site deleted"],
  ["domain.verified", "Domain verified"],
  ["domain.connected", "Domain connected"],
  ["domain.action_needed", "Domain needs attention"],
  ["domain.removed", "Domain removed"],
  ["certificate.issued", "Certificate issued"],
  ["certificate.renewed", "Certificate renewed"],
  ["certificate.failing", "Certificate failing"],
];

/** What later versions add has no words here yet and stays what it is. */
export function wordsOf(type: string): string {
  return type === "ping" ? "Test" : (EVENTS.find(([known]) => known === type)?.[1] ?? type);
}

/** Returns what a webhook hears of: a few are named, many are counted. */
export function summaryOf(events: readonly string[] | null): string {
  if (events === null) return "All events";
  return events.length > 3 ? `${events.length} events` : events.map(wordsOf).join(", ");
}

/** Returns what is asked of the server for the kinds that are chosen: all of them is everything, also what is to come. */
export function wanted(chosen: readonly string[]): readonly string[] | null {
  return chosen.length === EVENTS.length ? null : chosen;
}
