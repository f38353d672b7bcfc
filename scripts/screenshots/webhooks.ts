import type { TestServer } from "../../src/acceptance/testing/test-server.ts";
import type { EventType, Happened } from "../../src/domain/model/events.ts";
import { DAY, HOUR, SECOND } from "../../src/domain/timestamp.ts";
import { DELIVERED } from "../../src/domain/webhooks/schedule.ts";

/** No event of these happens while the screenshots are taken: its delivery would fail. */
const CHAT_EVENTS: readonly EventType[] = ["deployment.published", "deployment.activated", "certificate.renewed"];

/** Adds two webhooks: one with deliveries, and one for certificates only. */
export async function addWebhooks({ store, clock }: TestServer, siteName: string): Promise<void> {
  const siteId = (await store.sites.find(siteName))?.id;
  if (siteId === undefined) throw new Error(`there is no site ${siteName}`);
  const now = clock.now();
  const facts = { siteId, secret: "whsec_AAAA", createdAt: now - 20 * DAY };
  await store.webhooks.add(
    { id: "chat", url: "https://chat.example.org/hooks/atlas", events: CHAT_EVENTS, ...facts },
    10,
  );
  await store.webhooks.add(
    { id: "pager", url: "https://pager.example.org/v2/events", events: ["certificate.failing"], ...facts },
    10,
  );
  const deployed = (deployment_number: number): Happened => ({
    type: "deployment.published",
    data: { site_name: siteName, deployment_number },
  });
  const deliveries: readonly [at: number, happened: Happened, duration: number][] = [
    [now - 6 * DAY, deployed(4), 112],
    [now - 5 * DAY, { type: "certificate.renewed", data: { site_name: siteName } }, 96],
    [now - 2.4 * HOUR, deployed(5), 84],
  ];
  for (const [at, happened, duration] of deliveries) {
    const { id } = await store.webhooks.notify("chat", happened, at);
    await store.webhooks.record(id, { at: at + SECOND, statusCode: 204, error: null, duration }, DELIVERED);
  }
}
