import { beforeEach, expect, test } from "bun:test";
import { NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import type { Claim } from "../../domain/model/claim.ts";
import type { EventType } from "../../domain/model/events.ts";
import { MAX_WAITING } from "../../domain/model/webhook.ts";
import type { Publication } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DELIVERED } from "../../domain/webhooks/schedule.ts";
import { addClaim } from "./add-claim.ts";
import { addPerson, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { CERTIFICATE, tokenOf, webhookOf } from "./records.ts";

const T0 = Date.UTC(2026, 0, 1);
const certificate = { ...CERTIFICATE, notBefore: T0, notAfter: T0 + 1000 };

const answered = { at: T0, statusCode: 200, error: null, duration: 1 };

/** The contract of webhook events, which are stored in the transaction of their change. `open` returns a new store. */
export function outboxContract(open: () => Store): void {
  let store: Store;
  let siteId: number;
  let ownerId: number;

  beforeEach(async () => {
    store = open();
    ownerId = (await addPerson(store, "ada")).id;
    siteId = (await addSite(store, "demo", ownerId, false)).id;
    await store.tokens.add(tokenOf({ siteId, makerId: ownerId, id: "ci", createdAt: T0 }));
    await listen("all", null);
  });

  async function listen(id: string, events: readonly EventType[] | null): Promise<void> {
    await store.webhooks.add(webhookOf(siteId, { id, events, createdAt: T0 }), 99);
  }

  const publish = (changed: Partial<Publication> = {}) =>
    store.deployments.publish(
      publicationOf({
        siteName: "demo",
        ownerId,
        sessionId: 0,
        warnings: [{ file: "_redirects", line: 1, message: "unusable" }],
        credential: { kind: "deployment_token", tokenId: "ci" },
        actor: "CI",
        createdAt: T0 + 5,
        ...changed,
      }),
    );

  /** The deliveries of a webhook, the latest first. */
  const deliveriesOf = async (id = "all") =>
    (await store.webhooks.listDeliveries(id, { limit: 99, before: null })).map(({ event }) => event);
  const typesOf = async (id = "all") => (await deliveriesOf(id)).map(({ type }) => type as string);

  test("a publication and an activation have events, each once and due at once", async () => {
    await publish();
    await store.deployments.activate(siteId, 1, T0 + 9);
    expect(await deliveriesOf()).toMatchObject([
      { type: "deployment.activated", at: T0 + 9, data: { site_name: "demo", deployment_number: 1 } },
      {
        type: "deployment.published",
        at: T0 + 5,
        data: {
          site_name: "demo",
          deployment_number: 2,
          source: "deployment_token",
          actor: "CI",
          created_at: "2026-01-01T00:00:00.005Z",
          file_count: 0,
          size_bytes: 0,
          warning_count: 1,
        },
      },
    ]);
    const [latest] = await store.webhooks.listDeliveries("all", { limit: 1, before: null });
    expect(latest).toMatchObject({ status: "pending", attempts: 0, nextAttemptAt: T0 + 9 });
  });

  test("a change that was not made has no event", async () => {
    await publish({ reused: ["f".repeat(64)] });
    await publish({ ownerId: ownerId + 1 });
    await store.deployments.activate(siteId, 9, T0);
    await store.deployments.activate(siteId, 1, T0);
    await store.retention.deleteDeployments(siteId, [99], T0);
    expect(await deliveriesOf()).toEqual([]);
  });

  test("every webhook of the site that wants an event gets it with the same id, and no other does", async () => {
    await listen("some", ["deployment.published"]);
    await listen("none", ["site.deleted", "deployment.activated"]);
    await listen("off", null);
    await store.webhooks.disable("off", T0, "why");
    await publish();
    const [[all], [some]] = [await deliveriesOf("all"), await deliveriesOf("some")];
    expect(some?.id).toBe(all?.id as string);
    expect(all?.id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect([await typesOf("none"), await typesOf("off")]).toEqual([[], []]);
    await publish();
    expect((await deliveriesOf())[0]?.id).not.toBe(all?.id as string);
  });

  test("with a thousand waiting deliveries of a webhook, further ones fail until one has ended", async () => {
    const waiting = { type: "ping", data: {} } as const;
    const first = await store.webhooks.notify("all", waiting, T0);
    for (let count = 1; count < MAX_WAITING; count++) await store.webhooks.notify("all", waiting, T0);
    await listen("idle", null);
    await publish();
    const latest = async (id: string) => (await store.webhooks.listDeliveries(id, { limit: 1, before: null }))[0];
    const error = "1000 deliveries waited for this webhook: it was not tried";
    const dropped = { status: "failed", attempts: 0, nextAttemptAt: null, error };
    expect(await latest("all")).toMatchObject({ event: { type: "deployment.published" }, ...dropped });
    expect(await latest("idle")).toMatchObject({ status: "pending" });
    await store.webhooks.record(first.id, answered, DELIVERED);
    await publish();
    expect(await latest("all")).toMatchObject({ status: "pending" });
  });

  test("removed deployments have one event together", async () => {
    for (let count = 0; count < 3; count++) await publish();
    const all = await store.deployments.list(siteId, { limit: 9, before: null });
    await store.retention.deleteDeployments(
      siteId,
      all.map(({ id }) => id),
      T0 + 7,
    );
    expect((await deliveriesOf())[0]).toMatchObject({
      type: "deployment.deleted",
      at: T0 + 7,
      data: { site_name: "demo", deployment_numbers: [1, 2, 3], actor: null },
    });
  });

  test("the states of a claim have events, and a save that came too late has none", async () => {
    const claim = await addClaim(store, { hostname: "www.example.org", siteId, ownerId, createdAt: T0 });
    const verified: Claim = { ...claim, status: "verified", verifiedAt: T0, routeStatus: "publishing" };
    expect(await store.claims.save([verified], T0 + 1)).toBe("saved");
    expect(await store.claims.save([{ ...verified, lastError: "too late" }], T0 + 2)).toBe("conflict");
    expect(await deliveriesOf()).toMatchObject([
      { type: "domain.verified", at: T0 + 1, data: { site_name: "demo", hostname: "www.example.org" } },
    ]);
  });

  test("the certificate of a verified name has an event for its site only", async () => {
    await store.certificates.want({ identifiers: ["www.example.org"], challenge: "http-01", origin: "claim" });
    await store.certificates.install("www.example.org", certificate, { orderedAt: T0, at: T0 }, NO_ATTEMPTS);
    expect(await deliveriesOf()).toEqual([]);

    const claim = { hostname: "www.example.org", siteId, ownerId, createdAt: T0 };
    await addClaim(store, claim, { status: "verified" });
    await store.certificates.install("www.example.org", certificate, { orderedAt: T0, at: T0 + 3 }, NO_ATTEMPTS);
    for (const failures of [1, 2, 3, 4]) {
      const attempts = { ...NO_ATTEMPTS, failures, lastAt: T0 + 10 + failures, error: "refused" };
      await store.certificates.saveProgress("www.example.org", { attempts });
    }
    await store.certificates.release("www.example.org", T0);
    await store.certificates.install("www.example.org", certificate, { orderedAt: T0, at: T0 + 20 }, NO_ATTEMPTS);
    expect(await deliveriesOf()).toMatchObject([
      { type: "certificate.failing", at: T0 + 13, data: { hostname: "www.example.org", error: "refused" } },
      { type: "certificate.renewed", at: T0 + 3, data: { site_name: "demo", hostname: "www.example.org" } },
      { type: "domain.verified" },
    ]);
    expect(JSON.stringify(await deliveriesOf())).not.toContain(certificate.key);
  });

  test("a deleted site has an event, and its webhooks are deleted once all events are sent", async () => {
    await publish();
    await listen("idle", ["deployment.activated"]);
    await store.sites.delete(siteId, T0 + 8, T0 + 9);
    expect(await typesOf()).toEqual(["site.deleted", "deployment.published"]);
    expect(await store.webhooks.listOfSite(siteId)).toEqual([]);
    await store.webhooks.deleteBefore(T0 + 9);
    for (;;) {
      const places = { limit: 9, maxOfOwner: 9, maxFailing: 9 };
      const turn = { now: T0 + 9, horizon: T0 + 99, restHorizon: T0 + 99, until: T0 + 19, ...places };
      const [due] = await store.webhooks.takeDue(turn);
      if (!due) break;
      expect(due.webhook.url).toBe("https://a.example/");
      await store.webhooks.record(due.id, answered, DELIVERED);
    }
    await store.webhooks.deleteBefore(T0);
    expect(await deliveriesOf()).toEqual([]);
  });
}
