import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { WebhookWithSecret } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { eventTypes } from "./event-types.ts";

interface Options extends ClientOptions, JsonOption {
  readonly events?: string;
}

/** Adds a webhook and prints its secret on stdout; nobody can see it again. */
export async function run(terminal: Terminal, site: string, url: string, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.post<WebhookWithSecret>(path`/sites/${site}/webhooks`, {
    url,
    events: eventTypes(options.events),
  });
  if (options.json) return terminal.json(webhook);
  terminal.data(printable(webhook.secret));
  terminal.say("Save this secret now; it is not shown again. The receiver verifies signatures with it.");
  terminal.say(`Send a test event: vitrine webhooks test ${site} ${webhook.id}`);
}
