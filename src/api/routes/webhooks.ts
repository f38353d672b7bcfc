import { Elysia, t } from "elysia";
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
import { authenticated } from "../authenticate.ts";
import { setAuditSubject } from "../change-notes.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { pageOf, pageQuery, siteParams } from "../schemas/params.ts";
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

const tags = ["Webhooks"];
const errors = { ...OWNED_SITE, 404: "webhook does not exist" };
const trialErrors = { ...errors, 409: "the webhook is disabled", 429: "too many tests and retries of webhooks" };

const webhookParams = t.Object({ name: t.String(), webhook_id: t.String() });
const deliveryParams = t.Object({ name: t.String(), webhook_id: t.String(), delivery_id: t.Integer() });

/** Deliveries on one page, at most and without `limit`. */
const MAX_PAGE = 100;
const PAGE = 50;

const refOf = (params: { name: string; webhook_id: string }) => ({
  siteName: params.name,
  webhookId: params.webhook_id,
});

export function webhookRoutes(ports: ApiPorts) {
  return new Elysia().use(ownedWebhookRoutes(ports)).use(deliveryRoutes(ports));
}

function ownedWebhookRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/sites/:name/webhooks",
      async ({ caller, params }) => {
        const webhooks = await listWebhooks(ports, caller, params.name);
        return webhooks.map((webhook) => webhookResponse(params.name, webhook));
      },
      {
        params: siteParams,
        response: { 200: t.Array(WebhookResponse) },
        detail: describe({
          summary: "List a site's webhooks",
          tags,
          errors: OWNED_SITE,
        }),
      },
    )
    .post(
      "/sites/:name/webhooks",
      async ({ caller, params, body, set, request }) => {
        const wanted = { siteName: params.name, url: body.url, events: body.events ?? null };
        const webhook = await createWebhook(ports, caller, wanted);
        setAuditSubject(request, { webhook_id: webhook.id });
        set.status = 201;
        return webhookSecretResponse(params.name, webhook);
      },
      {
        params: siteParams,
        body: CreateWebhookRequest,
        response: { 201: WebhookSecretResponse },
        detail: describe({
          summary: "Add a webhook",
          description:
            "Deliveries are signed after Standard Webhooks. The secret is returned only here. A site has at most 20 webhooks.",
          tags,
          errors: { ...OWNED_SITE, 409: "the site has as many webhooks as it may" },
        }),
      },
    )
    .get(
      "/sites/:name/webhooks/:webhook_id",
      async ({ caller, params }) => webhookResponse(params.name, await requireOwnWebhook(ports, caller, refOf(params))),
      {
        params: webhookParams,
        response: { 200: WebhookResponse },
        detail: describe({ summary: "Get a webhook", tags, errors }),
      },
    )
    .patch(
      "/sites/:name/webhooks/:webhook_id",
      async ({ caller, params, body }) =>
        webhookResponse(params.name, await changeWebhook(ports, caller, refOf(params), body)),
      {
        params: webhookParams,
        body: ChangeWebhookRequest,
        response: { 200: WebhookResponse },
        detail: describe({
          summary: "Change, enable or disable a webhook",
          description: "Fields that are left out stay unchanged. Disabling a webhook cancels its pending deliveries.",
          tags,
          errors,
        }),
      },
    )
    .delete(
      "/sites/:name/webhooks/:webhook_id",
      async ({ caller, params, set }) => {
        await removeWebhook(ports, caller, refOf(params));
        set.status = 204;
      },
      {
        params: webhookParams,
        detail: describe({ summary: "Delete a webhook with its deliveries", tags, errors }),
      },
    )
    .post(
      "/sites/:name/webhooks/:webhook_id/rotate",
      async ({ caller, params }) =>
        webhookSecretResponse(params.name, await rotateSecret(ports, caller, refOf(params))),
      {
        params: webhookParams,
        response: { 200: WebhookSecretResponse },
        detail: describe({
          summary: "Rotate a webhook's secret",
          description: "The secret is returned only here. The previous one also signs deliveries for 24 hours.",
          tags,
          errors,
        }),
      },
    );
}

function deliveryRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .post(
      "/sites/:name/webhooks/:webhook_id/test",
      async ({ caller, params, set }) => {
        const delivery = await testWebhook(ports, caller, refOf(params));
        set.status = 201;
        return webhookDeliveryResponse(delivery);
      },
      {
        params: webhookParams,
        response: { 201: WebhookDeliveryResponse },
        detail: describe({
          summary: "Send a test event",
          description: "A `ping` is sent once, within two seconds; the delivery has the result.",
          tags,
          errors: trialErrors,
        }),
      },
    )
    .get(
      "/sites/:name/webhooks/:webhook_id/deliveries",
      async ({ caller, params, query }) => {
        const deliveries = await listDeliveries(ports, caller, refOf(params), pageOf(query, PAGE));
        return deliveries.map(webhookDeliveryResponse);
      },
      {
        params: webhookParams,
        query: pageQuery(MAX_PAGE, "deliveries with a lower id"),
        response: { 200: t.Array(WebhookDeliveryResponse) },
        detail: describe({
          summary: "List a webhook's deliveries, newest first",
          description: "Deliveries are kept for 30 days. Of the receiver's response, only the status is stored.",
          tags,
          errors,
        }),
      },
    )
    .post(
      "/sites/:name/webhooks/:webhook_id/deliveries/:delivery_id/retry",
      async ({ caller, params }) =>
        webhookDeliveryResponse(await retryDelivery(ports, caller, refOf(params), params.delivery_id)),
      {
        params: deliveryParams,
        response: { 200: WebhookDeliveryResponse },
        detail: describe({
          summary: "Redeliver an event",
          description: "Whatever its status; the `webhook-id` stays the same.",
          tags,
          errors: trialErrors,
        }),
      },
    );
}
