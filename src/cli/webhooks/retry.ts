import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { WebhookDelivery } from "../client/types.ts";
import { UsageError } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { wholeNumber } from "../whole-number.ts";
import { tellAttempt } from "./attempt.ts";

/** Delivers an event again and says what came of it. */
export async function run(
  terminal: Terminal,
  site: string,
  id: string,
  delivery: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  if (wholeNumber(delivery) === null) {
    throw new UsageError(
      `${delivery} is not the ID of a delivery.`,
      "See the deliveries: vitrine webhooks deliveries SITE ID",
    );
  }
  const client = await connect(terminal, options);
  const again = await client.post<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/deliveries/${delivery}/retry`);
  await tellAttempt(terminal, client, site, again, options);
}
