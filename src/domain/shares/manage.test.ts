import { expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { createShare } from "./manage.ts";

const passwords = { hash: async (text: string) => text };

/** Returns a private site with an alias, and a function that creates a link to that alias, or to the site. */
async function openSite(alias: string) {
  const store = temporaryStore();
  const user = await addPerson(store, "ada");
  const site = await addSite(store, "demo", user.id, true);
  await store.previews.setAlias(site.id, { name: alias, deploymentNumber: 1, expiresAt: null, at: 0 });
  const ports = { store, clock: { now: () => 1000 }, secrets: systemSecrets, passwords };
  const caller = { kind: "session", user, sessionId: 1, at: 0, signedInAt: null } as const;
  const request = { label: "client", kind: "link", lifetime: 1000, password: null } as const;
  return (to: string | null) =>
    createShare(ports, caller, "demo", { ...request, target: { alias: to, deploymentNumber: null } });
}

test.each(["pr-1", "1e3", "0x10", "123e456"])("the alias %s can be shared", async (alias) => {
  const create = await openSite(alias);
  expect((await create(alias)).share.target).toBe(alias);
});

test("the fifty-first share of a site is a conflict", async () => {
  const create = await openSite("pr-1");
  for (let number = 1; number <= 50; number++) await create(null);
  await expect(create(null)).rejects.toMatchObject({ kind: "conflict", detail: expect.stringContaining("50 shares") });
});
