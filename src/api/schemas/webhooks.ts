import { Type as t } from "@sinclair/typebox";
import { EVENT_TYPES, type SiteEventType } from "../../domain/model/events.ts";
import type { OfSite } from "../../domain/model/site.ts";
import { type Delivery, MAX_URL, type Webhook } from "../../domain/model/webhook.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { text } from "./text.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

/** Accepts any text, because the domain validates the event with a better message. */
const EventType = t.String({ enum: [...EVENT_TYPES] });

const url = text({ minLength: 1, maxLength: MAX_URL, description: "https:// or http://" });
const events = orNull(t.Array(EventType, { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true }), {
  description: "Events to send; null for all, including those that later versions add",
});

export const CreateWebhookRequest = t.Object(
  { url, events: t.Optional(events) },
  {
    examples: [{ url: "https://hooks.example.org/vitrine", events: ["deployment.published", "domain.action_needed"] }],
  },
);

export const ChangeWebhookRequest = t.Object(
  { url: t.Optional(url), events: t.Optional(events), enabled: t.Optional(t.Boolean()) },
  { examples: [{ enabled: true }] },
);

const webhook = {
  id: t.String(),
  site_name: t.String(),
  url: t.String(),
  events: orNull(t.Array(EventType), { description: "null for all events" }),
  enabled: t.Boolean(),
  created_at: Moment,
  failing_since: orNull(Moment, {
    description: "When attempts began to fail; null after a success",
  }),
  disabled_at: orNull(Moment),
  disabled_reason: TextOrNull,
};

const exampleWebhook = {
  id: "5f0c1d2e3a4b5c6d7e8f",
  site_name: "brisk-otter-4821",
  url: "https://hooks.example.org/vitrine",
  events: null,
  enabled: true,
  created_at: "2026-11-20T16:05:12.418Z",
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
};

export const WebhookResponse = namedSchema("WebhookResponse", webhook, exampleWebhook);

export function webhookResponse(from: OfSite<Webhook>): typeof WebhookResponse.static {
  return {
    id: from.id,
    site_name: from.siteName,
    url: from.url,
    events: from.events === null ? null : [...from.events],
    enabled: from.disabledAt === null,
    created_at: timestamp(from.createdAt),
    failing_since: momentOrNull(from.failingSince),
    disabled_at: momentOrNull(from.disabledAt),
    disabled_reason: from.disabledReason,
  };
}

export const WebhookSecretResponse = namedSchema(
  "WebhookSecretResponse",
  {
    ...webhook,
    secret: t.String({ description: "Signs deliveries; returned only here" }),
    previous_secret_until: orNull(Moment, {
      description: "Until then the previous secret also signs deliveries",
    }),
  },
  { ...exampleWebhook, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDHIcTyN4m0Ew=", previous_secret_until: null },
);

export function webhookSecretResponse(from: OfSite<Webhook>): typeof WebhookSecretResponse.static {
  return {
    ...webhookResponse(from),
    secret: from.secret,
    previous_secret_until: momentOrNull(from.previousSecretUntil),
  };
}

export const WebhookDeliveryResponse = namedSchema(
  "WebhookDeliveryResponse",
  {
    id: t.Integer(),
    webhook_id: t.String(),
    event_id: t.String({ description: "The `webhook-id` that every attempt carries" }),
    event_type: oneOf([...EVENT_TYPES, "ping"]),
    event_at: Moment,
    data: t.Record(t.String(), t.Unknown(), { description: "The data of the event" }),
    status: oneOf(["pending", "delivered", "failed"]),
    attempts: t.Integer(),
    next_attempt_at: orNull(Moment, { description: "null unless pending" }),
    attempted_at: orNull(Moment),
    status_code: orNull(t.Integer(), { description: "Status of the receiver's last response" }),
    error: orNull(t.String(), { description: "Why the last attempt failed" }),
    duration_ms: orNull(t.Integer(), { description: "How long the last attempt took" }),
  },
  {
    id: 42,
    webhook_id: "5f0c1d2e3a4b5c6d7e8f",
    event_id: "msg_9d2c4b1e7f0a48c6b5d3e1f2a4c60718",
    event_type: "deployment.published",
    event_at: "2026-11-20T16:05:12.418Z",
    data: { site_name: "brisk-otter-4821", deployment_number: 3, actor: "ada" },
    status: "pending",
    attempts: 1,
    next_attempt_at: "2026-11-20T16:05:18.102Z",
    attempted_at: "2026-11-20T16:05:12.911Z",
    status_code: 503,
    error: "responded with 503",
    duration_ms: 84,
  },
);

export function webhookDeliveryResponse(from: Delivery): typeof WebhookDeliveryResponse.static {
  return {
    id: from.id,
    webhook_id: from.webhookId,
    event_id: from.event.id,
    // A site's webhook has no operator events.
    event_type: from.event.type as SiteEventType,
    event_at: timestamp(from.event.at),
    data: from.event.data,
    status: from.status,
    attempts: from.attempts,
    next_attempt_at: momentOrNull(from.nextAttemptAt),
    attempted_at: momentOrNull(from.attemptedAt),
    status_code: from.statusCode,
    error: from.error,
    duration_ms: from.duration,
  };
}
