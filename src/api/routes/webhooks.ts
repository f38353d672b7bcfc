import { Type as t } from "@sinclair/typebox";
import {
  changeWebhook,
  createWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  requireOwnWebhook,
  retryDelivery,
  rotateSecret,
  testWebhook,
} from "../../domain/webhooks/manage.ts";
import { reply, route } from "../route.ts";
import { pageOf, pageQuery } from "../schemas/params.ts";
import {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  WebhookDeliveryResponse,
  WebhookResponse,
  WebhookSecretResponse,
  webhookDeliveryResponse,
  webhookResponse,
  webhookSecretResponse,
} from "../schemas/webhooks.ts";

const common = { tag: "Webhooks", auth: "site", operation: "manage_webhooks" } as const;
const errors = { 404: "webhook does not exist" };
const trialErrors = { ...errors, 409: "the webhook is disabled", 429: "too many tests and retries of webhooks" };

/** The default and the maximum number of deliveries on a page. */
const MAX_PAGE = 100;
const PAGE = 50;

const refOf = (params: { name: string; webhook_id: string }) => ({
  siteName: params.name,
  webhookId: params.webhook_id,
});

export const webhookRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/webhooks",
    summary: "List a site's webhooks",
    response: { 200: t.Array(WebhookResponse) },
    handler: async ({ caller, params, ports }) => {
      const webhooks = await listWebhooks(ports, caller, params.name);
      return webhooks.map(webhookResponse);
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/webhooks",
    summary: "Add a webhook",
    description:
      "Deliveries are signed after Standard Webhooks. The secret is returned only here. A site has at most 20 webhooks.",
    body: CreateWebhookRequest,
    response: { 201: WebhookSecretResponse },
    errors: { 409: "the site has as many webhooks as it may" },
    audit: "Added a webhook",
    handler: async ({ caller, params, body, ports }) => {
      const wanted = { siteName: params.name, url: body.url, events: body.events ?? null };
      const webhook = await createWebhook(ports, caller, wanted);
      return reply(webhookSecretResponse(webhook), { audit: { webhook_id: webhook.id } });
    },
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/webhooks/:webhook_id",
    summary: "Get a webhook",
    response: { 200: WebhookResponse },
    errors,
    handler: async ({ caller, params, ports }) =>
      webhookResponse(await requireOwnWebhook(ports, caller, refOf(params))),
  }),

  route({
    ...common,
    endpoint: "PATCH /sites/:name/webhooks/:webhook_id",
    summary: "Change, enable or disable a webhook",
    description: "Fields that are left out stay unchanged. Disabling a webhook cancels its pending deliveries.",
    body: ChangeWebhookRequest,
    response: { 200: WebhookResponse },
    errors,
    audit: "Changed a webhook",
    handler: async ({ caller, params, body, ports }) =>
      webhookResponse(await changeWebhook(ports, caller, refOf(params), body)),
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/webhooks/:webhook_id",
    summary: "Delete a webhook with its deliveries",
    errors,
    audit: "Deleted a webhook",
    handler: ({ caller, params, ports }) => removeWebhook(ports, caller, refOf(params)),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/webhooks/:webhook_id/rotate",
    summary: "Rotate a webhook's secret",
    description: "The secret is returned only here. The previous one also signs deliveries for 24 hours.",
    response: { 200: WebhookSecretResponse },
    errors,
    audit: "Rotated the secret of a webhook",
    handler: async ({ caller, params, ports }) =>
      webhookSecretResponse(await rotateSecret(ports, caller, refOf(params))),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/webhooks/:webhook_id/test",
    summary: "Send a test event",
    description: "A `ping` is sent once, within two seconds; the delivery has the result.",
    response: { 201: WebhookDeliveryResponse },
    errors: trialErrors,
    audit: "Sent a test to a webhook",
    handler: async ({ caller, params, ports }) =>
      webhookDeliveryResponse(await testWebhook(ports, caller, refOf(params))),
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/webhooks/:webhook_id/deliveries",
    summary: "List a webhook's deliveries, newest first",
    description: "Deliveries are kept for 30 days. Of the receiver's response, only the status is stored.",
    query: pageQuery(MAX_PAGE, "deliveries with a lower id"),
    response: { 200: t.Array(WebhookDeliveryResponse) },
    errors,
    handler: async ({ caller, params, query, ports }) => {
      const deliveries = await listDeliveries(ports, caller, refOf(params), pageOf(query, PAGE));
      return deliveries.map(webhookDeliveryResponse);
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/webhooks/:webhook_id/deliveries/:delivery_id/retry",
    summary: "Redeliver an event",
    description: "Whatever its status; the `webhook-id` stays the same.",
    params: { delivery_id: t.Integer() },
    response: { 200: WebhookDeliveryResponse },
    errors: trialErrors,
    audit: "Redelivered an event to a webhook",
    handler: async ({ caller, params, ports }) =>
      webhookDeliveryResponse(await retryDelivery(ports, caller, refOf(params), params.delivery_id)),
  }),
];
