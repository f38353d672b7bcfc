import { setTimeout as sleep } from "node:timers/promises";
import type { Webhook, WebhookDelivery, WebhookWithSecret } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { type PageOptions, pageQuery, wholeNumber } from "./arguments.ts";
import { type ApiClient, path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { spin } from "./terminal/progress.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatDuration, formatTime } from "./terminal/units.ts";

export async function listWebhooks(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connect(terminal, options);
  const webhooks = await client.list<Webhook>(path`/sites/${site}/webhooks`);
  const none = `No webhooks. Add one: vitrine webhooks add ${site} URL`;
  printList(terminal, webhooks, { none, columns: WEBHOOK_COLUMNS }, options);
}

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "URL", value: ({ url }) => url, cut: true },
  { title: "EVENTS", value: ({ events }) => events?.join(",") ?? "all", cut: true },
  { title: "STATUS", value: stateOf },
];

function stateOf({ enabled, disabled_reason, failing_since }: Webhook): string {
  if (!enabled) return `disabled: ${disabled_reason}`;
  return failing_since === null ? "enabled" : `failing since ${formatTime(failing_since)}`;
}

interface AddOptions extends ClientOptions {
  readonly events?: string;
}

export async function addWebhook(terminal: Terminal, site: string, url: string, options: AddOptions): Promise<void> {
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

interface ChangeOptions extends ClientOptions {
  readonly url?: string;
  readonly events?: string;
}

/** Changes the URL, the event types, or both. */
export async function changeWebhook(
  terminal: Terminal,
  site: string,
  id: string,
  options: ChangeOptions,
): Promise<void> {
  const { url, events } = options;
  if (url === undefined && events === undefined) {
    throw new UsageError("nothing to change: pass --url or --events");
  }
  const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events: eventTypes(events) }) };
  const client = await connect(terminal, options);
  const webhook = await client.patch<Webhook>(path`/sites/${site}/webhooks/${id}`, change);
  if (options.json) return terminal.json(webhook);
  const received = webhook.events?.join(", ") ?? "all events";
  terminal.done(`${webhook.url} receives ${received}.`);
}

export async function removeWebhook(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/webhooks/${id}`);
  terminal.done(`Removed the webhook ${id}.`);
}

export async function setEnabled(
  terminal: Terminal,
  enabled: boolean,
  site: string,
  id: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.patch<Webhook>(path`/sites/${site}/webhooks/${id}`, { enabled });
  if (options.json) return terminal.json(webhook);
  if (enabled) return terminal.done(`Enabled the webhook to ${webhook.url}.`);
  terminal.done(`Disabled the webhook to ${webhook.url}.`);
  terminal.say(`Enable it again: vitrine webhooks enable ${site} ${webhook.id}`);
}

export async function rotateSecret(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const webhook = await client.post<WebhookWithSecret>(path`/sites/${site}/webhooks/${id}/rotate`);
  if (options.json) return terminal.json(webhook);
  terminal.data(printable(webhook.secret));
  terminal.say(`The old secret stays valid until ${formatTime(webhook.previous_secret_until)}.`);
}

export async function sendTest(terminal: Terminal, site: string, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const ping = await client.post<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/test`);
  await reportAttempt(terminal, client, site, ping, options);
}

export async function listDeliveries(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientListOptions & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deliveries = await client.list<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/deliveries` + page);
  const none = `No deliveries yet. Send a test event: vitrine webhooks test ${site} ${id}`;
  printList(terminal, deliveries, { none, columns: DELIVERY_COLUMNS }, options);
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: "DELIVERY", value: ({ id }) => String(id) },
  { title: "EVENT", value: ({ event_type }) => event_type },
  { title: "STATUS", value: ({ status }) => status },
  { title: "ERROR", value: ({ error }) => error ?? "", cut: true },
  { title: "CREATED", value: ({ event_at }) => formatTime(event_at), optional: true },
  { title: "ATTEMPTS", value: ({ attempts }) => String(attempts), optional: true },
  {
    title: "NEXT ATTEMPT",
    value: ({ next_attempt_at }) => (next_attempt_at === null ? "" : formatTime(next_attempt_at)),
    optional: true,
  },
];

export async function retryDelivery(
  terminal: Terminal,
  site: string,
  id: string,
  delivery: string,
  options: ClientOptions,
): Promise<void> {
  if (wholeNumber(delivery) === null) {
    throw new UsageError(
      `${delivery} is not the ID of a delivery`,
      "See the deliveries: vitrine webhooks deliveries SITE ID",
    );
  }
  const client = await connect(terminal, options);
  const again = await client.post<WebhookDelivery>(path`/sites/${site}/webhooks/${id}/deliveries/${delivery}/retry`);
  await reportAttempt(terminal, client, site, again, options);
}

/** The server attempts deliveries every second, with a time limit of 15 seconds each. */
const MAX_POLLS = 80;
const POLL_INTERVAL_MS = 250;

/** Waits for the requested attempt and prints its result. Throws if it failed. */
async function reportAttempt(
  terminal: Terminal,
  client: ApiClient,
  site: string,
  requested: WebhookDelivery,
  options: ClientOptions,
): Promise<void> {
  const made = await spin(terminal, "Waiting for the receiver", () => untilAttempted(client, site, requested));
  if (options.json) terminal.json(made);
  const { event_type, status, status_code, error, duration_ms } = made;
  if (status !== "delivered") throw new Failure(`${event_type} was not delivered: ${error}`);
  if (!options.json) {
    const took = formatDuration(duration_ms ?? 0);
    terminal.done(`Delivered ${event_type}: status ${status_code} in ${took}.`);
  }
}

async function untilAttempted(client: ApiClient, site: string, requested: WebhookDelivery): Promise<WebhookDelivery> {
  // The page that starts with this delivery.
  const query = `?limit=1&before=${requested.id + 1}`;
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const [now] = await client.list<WebhookDelivery>(
      path`/sites/${site}/webhooks/${requested.webhook_id}/deliveries` + query,
    );
    if (now?.id === requested.id && now.attempts > requested.attempts) return now;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Failure(
    "the delivery was not attempted within 20 seconds",
    `It is still queued: vitrine webhooks deliveries ${site} ${requested.webhook_id}`,
  );
}

/** Parses `--events`; null, also for `all`, means every event. */
function eventTypes(option: string | undefined): readonly string[] | null {
  return option === undefined || option === "all" ? null : option.split(",").map((type) => type.trim());
}
