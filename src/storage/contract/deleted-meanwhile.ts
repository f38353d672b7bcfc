import { beforeEach, expect, test } from "bun:test";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { tokenOf, webhookOf } from "./records.ts";

/** The contract of additions to a site, webhook, session or user that was deleted since it was looked up. */
export function deletedMeanwhileContract(current: () => Store): void {
  const siteGone = { kind: "not_found", detail: "site does not exist: it was deleted meanwhile" };
  let owner: User;
  let ownerId: number;
  let siteId: number;
  beforeEach(async () => {
    owner = await addPerson(current(), "alice");
    ownerId = owner.id;
    siteId = (await addSite(current(), "demo", ownerId, true)).id;
  });

  const token = () => tokenOf({ siteId, makerId: ownerId });
  const webhook = () => webhookOf(siteId, { id: "w" });
  const claim = () => {
    const tokens = { proofToken: "proof", probeToken: "probe", probeResponse: "answer" };
    return { hostname: "www.example.org", siteId, ownerId, createdAt: 0, ...tokens };
  };

  test.each([
    ["a deployment token", (store: Store) => store.tokens.add(token())],
    ["a webhook", (store: Store) => store.webhooks.add(webhook(), 9)],
    ["a retention policy", (store: Store) => store.retention.setPolicy(siteId, { last: 3, days: null })],
    ["a claim", (store: Store) => store.claims.create(claim(), { rates: [], mostPending: null })],
    ["a reader", (store: Store) => store.readers.add(siteId, owner, 0)],
    [
      "a member",
      (store: Store) => store.members.set(siteId, { identity: owner }, { role: "deployer", addedBy: ownerId, at: 0 }),
    ],
    ["the removal of a reader", (store: Store) => store.readers.delete(siteId, 1)],
  ])("if %s, the error is that the site does not exist", async (_what, add) => {
    await current().sites.delete(siteId, 0, 0);
    await expect(add(current())).rejects.toMatchObject(siteGone);
  });

  test("if a webhook was deleted, its delivery finds that it does not exist", async () => {
    const { webhooks } = current();
    await webhooks.add(webhook(), 9);
    await webhooks.delete(siteId, "w");
    const detail = "webhook does not exist: it was deleted meanwhile";
    await expect(webhooks.notify("w", { type: "ping", data: {} }, 0)).rejects.toMatchObject({ ...siteGone, detail });
  });

  test("if a reader was removed, the error is that the user does not exist", async () => {
    const bob = await addPerson(current(), "bob");
    await current().users.delete(bob.id);
    const detail = "the provider user does not exist: it was deleted meanwhile";
    await expect(current().readers.add(siteId, bob, 0)).rejects.toMatchObject({ ...siteGone, detail });
  });

  test("if a session has ended, a code for a private site finds that it does not exist", async () => {
    const { sessions, visits } = current();
    const sessionId = await addSession(current(), ownerId);
    await sessions.revoke(sessionId, ownerId);
    const code = {
      codeHash: "c",
      host: "demo.localhost",
      siteId,
      userId: ownerId,
      sessionId,
      path: "/",
      stateHash: "s",
    };
    const detail = "the session or the site does not exist: it was deleted meanwhile";
    await expect(visits.addCode({ ...code, expiresAt: 9 })).rejects.toMatchObject({ ...siteGone, detail });
  });
}
