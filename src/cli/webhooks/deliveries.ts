import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { WebhookDelivery } from "../client/types.ts";
import { type PageOptions, pageQuery } from "../page.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints what a webhook was told, newest first. */
export async function run(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions & JsonOption & PageOptions & LongOption,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deliveries = await client.list<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/deliveries` + page);
  if (options.json) return terminal.json(deliveries);
  if (deliveries.length === 0)
    return terminal.say(`No deliveries yet. Send a test event: vitrine webhooks test ${site} ${id}`);
  const rows = deliveries.map((delivery) => [
    String(delivery.id),
    delivery.event_type,
    delivery.status,
    delivery.error ?? "",
    formatTime(delivery.event_at),
    String(delivery.attempts),
    delivery.next_attempt_at === null ? "" : formatTime(delivery.next_attempt_at),
  ]);
  const columns = [
    "DELIVERY",
    "EVENT",
    "STATUS",
    { title: "ERROR", cut: true },
    { title: "CREATED", optional: true },
    { title: "ATTEMPTS", optional: true },
    { title: "NEXT ATTEMPT", optional: true },
  ] as const;
  printTable(terminal, columns, rows, options);
}
