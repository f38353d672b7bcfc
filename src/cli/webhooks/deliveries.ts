import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { WebhookDelivery } from "../client/types.ts";
import { type PageOptions, pageQuery } from "../page.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints what a webhook was told, newest first. */
export async function run(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions & JsonOption & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deliveries = await client.list<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/deliveries` + page);
  if (options.json) return terminal.json(deliveries);
  if (deliveries.length === 0) return terminal.say(`Nothing yet. Try it: vitrine webhooks test ${site} ${id}`);
  const rows = deliveries.map((delivery) => [
    String(delivery.id),
    formatTime(delivery.event_at),
    delivery.event_type,
    delivery.status,
    String(delivery.attempts),
    delivery.next_attempt_at === null ? "-" : formatTime(delivery.next_attempt_at),
    delivery.error ?? "",
  ]);
  const heading = ["DELIVERY", "EVENT AT", "EVENT", "STATUS", "ATTEMPTS", "NEXT", "LAST ERROR"];
  terminal.data(table(terminal.dataStyle, heading, rows));
}
