import { expect, test } from "bun:test";
import { DomainError } from "../domain/errors.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY } from "../domain/timestamp.ts";
import { addClaim } from "../storage/contract/add-claim.ts";
import { addSite } from "../storage/contract/people.ts";
import { webhookOf } from "../storage/contract/records.ts";
import { openTestApi } from "./testing/test-api.ts";

type Noun = Record<string, (...about: readonly unknown[]) => unknown>;

/** The database goes away as soon as this method of the store has returned. */
function loseDatabaseAfter(store: Store, noun: keyof Store, change: string): void {
  let isAway = false;
  for (const [name, methods] of Object.entries(store) as [string, Noun | null][]) {
    if (typeof methods !== "object" || methods === null) continue;
    for (const [method, run] of Object.entries(methods)) {
      if (typeof run !== "function") continue;
      methods[method] = async (...about) => {
        if (isAway) throw new DomainError("unavailable", "the database is away");
        const result = await run(...about);
        isAway ||= name === noun && method === change;
        return result;
      };
    }
  }
}

/** A server with an operator, their site with everything that can be changed, and a site of a frozen user. */
async function openWorld() {
  const api = await openTestApi({ "routing-targets": "A:127.0.0.1", "dns-resolvers": "127.0.0.1:1" });
  const { token, user } = await api.signUp("freya");
  await api.store.users.setOperator(user.id, true);
  await api.signUp("grace");
  const frozen = await api.signUp("igor");
  await addSite(api.store, "iced", frozen.user.id, false);
  await api.store.users.setFrozen(frozen.user.id, { at: 0, reason: "unpaid" });
  const { id: siteId } = await addSite(api.store, "notes", user.id, true);
  await api.store.webhooks.add(webhookOf(siteId, { id: "hook", secret: "whsec_one" }), 9);
  const facts = {
    siteId,
    ownerId: user.id,
    alias: null,
    hostname: "www.example.org",
    createdAt: api.clock.now(),
    expiresAt: api.clock.now() + DAY,
  };
  const modes = { status: "verified", mode: "direct", effectiveMode: "direct", targetMode: "proxy" } as const;
  const claim = await addClaim(api.store, facts, modes);
  return { api, token, claim, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test.each<[string, keyof Store, string, object | undefined, number, unknown]>([
  [
    "PATCH /admin/sites/notes",
    "sites",
    "setFrozen",
    { frozen: { reason: "ice" } },
    200,
    { name: "notes", owner: "freya", frozen: { reason: "ice" } },
  ],
  [
    "PATCH /admin/sites/iced",
    "sites",
    "setFrozen",
    { frozen: null },
    200,
    { name: "iced", owner: "igor", frozen: { reason: "unpaid" } },
  ],
  [
    "POST /admin/sites/iced/transfer",
    "sites",
    "transfer",
    { login: "grace" },
    200,
    { name: "iced", owner: "grace", frozen: null, ended: { tokens: 0 } },
  ],
  ["PATCH /admin/users/grace", "users", "change", { name: "Grace" }, 200, { login: "grace", name: "Grace" }],
  [
    "POST /sites/notes/webhooks",
    "webhooks",
    "add",
    { url: "https://b.example/" },
    201,
    { url: "https://b.example/", secret: expect.stringMatching(/^whsec_/) },
  ],
  [
    "PATCH /sites/notes/webhooks/hook",
    "webhooks",
    "change",
    { url: "https://b.example/", events: ["site.deleted"] },
    200,
    { url: "https://b.example/", events: ["site.deleted"], enabled: true },
  ],
  ["PATCH /sites/notes/webhooks/hook", "webhooks", "disable", { enabled: false }, 200, { enabled: false }],
  [
    "POST /sites/notes/webhooks/hook/rotate",
    "webhooks",
    "rotate",
    undefined,
    200,
    { secret: expect.not.stringMatching("whsec_one") },
  ],
  [
    "PUT /sites/notes/retention",
    "retention",
    "setPolicy",
    { keep_last: 3, keep_days: null },
    200,
    { policy: { keep_last: 3, grace_days: null }, effective: { keep_last: 3 } },
  ],
  ["DELETE /sites/notes/retention", "retention", "setPolicy", undefined, 204, null],
  ["PUT /sites/notes/previews", "previews", "setPolicy", { access: "private" }, 200, { access: "private" }],
  ["POST /sites/notes/domains/CLAIM/transition/cancel", "claims", "save", undefined, 200, { target_mode: null }],
  ["DELETE /sites/notes/domains/CLAIM", "claims", "save", undefined, 204, null],
])("%s is no error if the database goes away after %s.%s", async (endpoint, noun, change, json, status, body) => {
  await using world = await openWorld();
  const { api, token, claim } = world;
  loseDatabaseAfter(api.store, noun, change);
  const [method, path] = endpoint.replace("CLAIM", String(claim.id)).split(" ") as [string, string];
  const response = await api.call(method, path, { token, ...(json && { json }) });
  const sent = response.status === 204 ? null : await response.json();
  expect([response.status, sent]).toMatchObject([status, body]);
});
