import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { WebhookWithSecret } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Gives a webhook a new secret and prints it on stdout; nobody can see it again. */
export async function run(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.post<WebhookWithSecret>(path`/sites/${site}/webhooks/${id}/rotate`);
  if (options.json) return terminal.json(webhook);
  terminal.data(printable(webhook.secret));
  terminal.say(`The old secret stays valid until ${formatTime(webhook.previous_secret_until)}.`);
}
