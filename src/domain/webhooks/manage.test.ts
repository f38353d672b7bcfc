import { beforeEach, expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { Store } from "../ports/store.ts";
import {
  changeWebhook,
  createWebhook,
  requireOwnWebhook,
  retryDelivery,
  testWebhook,
  type WebhookPorts,
} from "./manage.ts";

let store: Store;
let ports: WebhookPorts;
let caller: SessionCaller;
let ref: { readonly siteName: string; readonly webhookId: string };

beforeEach(async () => {
  store = temporaryStore();
  const user = await addPerson(store, "ada");
  await addSite(store, "demo", user.id, false);
  caller = { kind: "session", user, sessionId: 1, at: 0, signedInAt: null };
  const sender = { refusal: () => null };
  ports = { store, sender, secrets: systemSecrets, clock: { now: () => 1000 }, rates: STANDARD_RATES };
  const request = { siteName: "demo", url: "https://hooks.example.org/", events: null };
  ref = { siteName: "demo", webhookId: (await createWebhook(ports, caller, request)).id };
});

test("an unknown delivery is reported before a disabled webhook or a rate limit", async () => {
  const retry = (id: number) =>
    retryDelivery(ports, caller, ref, id).then(
      () => "due",
      ({ kind }) => kind,
    );
  const { id } = await testWebhook(ports, caller, ref);
  expect([await retry(id), await retry(id + 1)]).toEqual(["due", "not_found"]);
  ports = { ...ports, rates: { webhook: { count: 2, window: 60_000 } } };
  expect([await retry(id), await retry(id + 1)]).toEqual(["too_many_requests", "not_found"]);
  await changeWebhook(ports, caller, ref, { enabled: false });
  expect([await retry(id), await retry(id + 1)]).toEqual(["conflict", "not_found"]);
});

test("concurrent changes of the address and of the filter are both stored", async () => {
  await Promise.all([
    changeWebhook(ports, caller, ref, { url: "https://other.example.org/" }),
    changeWebhook(ports, caller, ref, { events: ["site.deleted"] }),
  ]);
  const changed = { url: "https://other.example.org/", events: ["site.deleted"] } as const;
  expect(await requireOwnWebhook(ports, caller, ref)).toMatchObject(changed);
});
