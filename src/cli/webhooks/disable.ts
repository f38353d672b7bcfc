import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Webhook } from "../client/types.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Switches a webhook off: it gives up what it was still to be told. */
export async function run(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.patch<Webhook>(path`/sites/${site}/webhooks/${id}`, { enabled: false });
  if (options.json) return terminal.data(JSON.stringify(webhook, null, 2));
  terminal.say(`${terminal.style.green("✓")} ${webhook.url} hears of ${site} no more.`);
  terminal.say(`On again: vitrine webhooks enable ${site} ${webhook.id}`);
}
