import { expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { createShare } from "./manage.ts";

const passwords = { hash: async (text: string) => text };

test.each(["pr-1", "1e3", "0x10", "123e456"])("the alias %s can be shared", async (alias) => {
  const store = temporaryStore();
  const user = await addPerson(store, "ada");
  const site = await addSite(store, "demo", user.id, true);
  await store.previews.setAlias(site.id, { name: alias, deploymentNumber: 1, expiresAt: null, at: 0 });
  const ports = { store, clock: { now: () => 1000 }, secrets: systemSecrets, passwords };
  const caller = { kind: "session", user, sessionId: 1, at: 0, signedInAt: null } as const;
  const target = { alias, deploymentNumber: null };
  const request = { label: "client", kind: "link", target, lifetime: 1000, password: null } as const;
  expect((await createShare(ports, caller, "demo", request)).share.target).toBe(alias);
});
