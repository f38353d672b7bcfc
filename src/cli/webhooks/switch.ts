import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Webhook } from "../client/types.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

export type SwitchOptions = ClientOptions & JsonOption;

/** Switches a webhook on or off, and prints it as JSON or says what that means. */
export async function switchWebhook(
  terminal: Terminal,
  [site, id]: readonly [site: string, id: string],
  enabled: boolean,
  options: SwitchOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.patch<Webhook>(path`/sites/${site}/webhooks/${id}`, { enabled });
  if (options.json) return terminal.json(webhook);
  if (enabled) return terminal.done(`Enabled the webhook to ${webhook.url}.`);
  terminal.done(`Disabled the webhook to ${webhook.url}.`);
  terminal.say(`Enable it again: vitrine webhooks enable ${site} ${webhook.id}`);
}
