import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Webhook } from "../client/types.ts";
import { UsageError } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { eventTypes } from "./event-types.ts";

interface Options extends ClientOptions, JsonOption {
  readonly url?: string;
  readonly events?: string;
}

/** Has another address told, or the same one of other events; what is not named stays. */
export async function run(terminal: Terminal, site: string, id: string, options: Options): Promise<void> {
  const { url, events } = options;
  if (url === undefined && events === undefined) {
    throw new UsageError("Give what to change: --url URL, --events TYPES or both.");
  }
  const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events: eventTypes(events) }) };
  const client = await connect(terminal, options);
  const webhook = await client.patch<Webhook>(path`/sites/${site}/webhooks/${id}`, change);
  if (options.json) return terminal.json(webhook);
  const received = webhook.events?.join(", ") ?? "all events";
  terminal.done(`${webhook.url} receives ${received}.`);
}
