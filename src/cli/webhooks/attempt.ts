import { type ApiClient, path } from "../client/client.ts";
import type { WebhookDelivery } from "../client/types.ts";
import { Failure } from "../errors.ts";
import { spin } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatDuration } from "../terminal/units.ts";
import type { JsonOption } from "../verb.ts";

/** The server looks every second, and gives a receiver fifteen. */
const LOOKS = 80;
const PAUSE = 250;

/** Waits until the attempt that was asked for has been made, and says what came of it; rejects where it failed. */
export async function tellAttempt(
  terminal: Terminal,
  client: ApiClient,
  site: string,
  asked: WebhookDelivery,
  options: JsonOption,
): Promise<void> {
  const made = await spin(terminal, "Waiting for the receiver", () => untilAttempted(client, site, asked));
  if (options.json) terminal.json(made);
  const { event_type, status, status_code, error, duration_ms } = made;
  if (status !== "delivered") throw new Failure(`${event_type} was not delivered: ${error}.`);
  if (!options.json) {
    const took = formatDuration(duration_ms ?? 0);
    terminal.done(`Delivered ${event_type}: status ${status_code} in ${took}.`);
  }
}

async function untilAttempted(client: ApiClient, site: string, asked: WebhookDelivery): Promise<WebhookDelivery> {
  // The page that begins with this very delivery.
  const query = `?limit=1&before=${asked.id + 1}`;
  for (let look = 0; look < LOOKS; look++) {
    const [now] = await client.list<WebhookDelivery>(
      path`/sites/${site}/webhooks/${asked.webhook_id}/deliveries` + query,
    );
    if (now?.id === asked.id && now.attempts > asked.attempts) return now;
    await Bun.sleep(PAUSE);
  }
  throw new Failure(
    "The delivery was not attempted within 20 seconds.",
    `It is still queued: vitrine webhooks deliveries ${site} ${asked.webhook_id}`,
  );
}
