import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { refresh, useResource } from "../../../api/resource.ts";
import type { Webhook, WebhookDelivery } from "../../../api/types.ts";
import { count } from "../../../format.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { Ago, Due, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { wordsOf } from "./webhook-events.ts";

/** Page size. */
const PAGE = 20;

/** The server attempts deliveries every second, with a time limit of 15 seconds each. Others may be due before. */
const MAX_POLLS = 120;
const POLL_INTERVAL_MS = 500;

interface Props {
  /** API path of the webhook. */
  readonly path: string;
  readonly webhook: Webhook;
  readonly changed: () => Promise<void>;
}

/** Loaded when expanded. */
export function Deliveries(props: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">
        Deliveries<span class="visually-hidden"> to {props.webhook.url}</span>
      </summary>
      {open && <List {...props} />}
    </details>
  );
}

/** Requests an attempt, waits for it and shows the result. */
export async function trial(
  path: string,
  ask: () => Promise<WebhookDelivery>,
  changed: () => Promise<void>,
): Promise<void> {
  const requested = await ask();
  const sent = announce("Sending …");
  const made = await attempted(path, requested).finally(sent);
  refresh(`${path}/deliveries`);
  void changed();
  const words = wordsOf(made.event_type);
  if (made.attempts === requested.attempts) throw new Error(`${words}: still queued.`);
  if (made.status !== "delivered") throw new Error(`${words}: delivery failed, ${made.error}.`);
  announce(`${words}: delivered, status ${made.status_code} in ${made.duration_ms} ms.`);
}

async function attempted(path: string, requested: WebhookDelivery): Promise<WebhookDelivery> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    // The page that starts with this delivery.
    const query = `?limit=1&before=${requested.id + 1}`;
    const [now] = await call<WebhookDelivery[]>("GET", `${path}/deliveries${query}`);
    if (now?.id === requested.id && now.attempts > requested.attempts) return now;
  }
  return requested;
}

function List({ path, webhook, changed }: Props): JSX.Element {
  const deliveries = useResource<WebhookDelivery[]>(`${path}/deliveries?limit=${PAGE}`);
  return (
    <Loaded resource={deliveries} what="the deliveries" skeleton={<SkeletonRows rows={2} />}>
      {(all) =>
        all.length === 0 ? (
          <p class="muted small">No deliveries yet. Send a test, or wait for the next event.</p>
        ) : (
          <ol>
            {all.map((delivery) => (
              <Row key={delivery.id} path={path} delivery={delivery} enabled={webhook.enabled} changed={changed} />
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

const BADGES = {
  pending: ["warn", "Pending"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
} as const;

function Row(props: { path: string; delivery: WebhookDelivery; enabled: boolean; changed: () => Promise<void> }) {
  const { path, delivery, enabled, changed } = props;
  const [kind, state] = BADGES[delivery.status];
  const retry = () => trial(path, () => call("POST", `${path}/deliveries/${delivery.id}/retry`), changed);
  return (
    <li class="row">
      <div class="grow">
        <h4>
          {wordsOf(delivery.event_type)} <span class={`badge ${kind}`}>{state}</span>
        </h4>
        <p class="muted small">
          <Ago at={delivery.event_at} />
          <span class="faint"> · </span>
          {count(delivery.attempts, "attempt")}
          <Outcome delivery={delivery} />
        </p>
      </div>
      <ActionButton class="small" ready={enabled} run={retry}>
        Redeliver<span class="visually-hidden"> {wordsOf(delivery.event_type)}</span>
      </ActionButton>
    </li>
  );
}

function Outcome({ delivery }: { delivery: WebhookDelivery }): JSX.Element {
  const { error, status_code, duration_ms, next_attempt_at } = delivery;
  return (
    <>
      {error !== null && (
        <>
          <span class="faint"> · </span>
          {error}
        </>
      )}
      {error === null && status_code !== null && (
        <>
          <span class="faint"> · </span>status {status_code} in {duration_ms} ms
        </>
      )}
      {next_attempt_at !== null && (
        <>
          <span class="faint"> · </span>next attempt <Due at={next_attempt_at} />
        </>
      )}
    </>
  );
}
