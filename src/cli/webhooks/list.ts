import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Webhook } from "../client/types.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints a site's webhooks, without their secrets. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & LongOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhooks = await client.list<Webhook>(path`/sites/${site}/webhooks`);
  if (options.json) return terminal.json(webhooks);
  if (webhooks.length === 0) return terminal.say(`No webhooks. Add one: vitrine webhooks add ${site} URL`);
  const rows = webhooks.map((webhook) => [
    webhook.id,
    webhook.url,
    webhook.events?.join(",") ?? "all",
    stateOf(webhook),
  ]);
  printTable(terminal, ["ID", { title: "URL", cut: true }, { title: "EVENTS", cut: true }, "STATUS"], rows, options);
}

function stateOf({ enabled, disabled_reason, failing_since }: Webhook): string {
  if (!enabled) return `disabled: ${disabled_reason}`;
  return failing_since === null ? "enabled" : `failing since ${formatTime(failing_since)}`;
}
