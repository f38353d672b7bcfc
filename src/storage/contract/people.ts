import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { publishDeployment } from "./publication.ts";

/** Adds a user with a built-in account. */
export async function addPerson(store: Pick<Store, "users">, login: string): Promise<User> {
  const person = { provider: "local", subject: `subject of ${login}`, login, name: null, avatarUrl: null } as const;
  const user = await store.users.add({ ...person, mayOwn: true, passwordHash: "hash", createdAt: 0 });
  if (!user) throw new Error(`${login} is there already`);
  return user;
}

/** A session of nobody yet, which ends at 9. */
export const SHORT_SESSION = {
  tokenHash: "t",
  createdAt: 0,
  expiresAt: 9,
  idleLimit: 9,
  clientName: "a browser",
  address: null,
  signedInAt: null,
};

/** Adds a session of a user that ends at `expiresAt`, or when it is idle for `idleLimit`. */
export async function addSession(
  store: Pick<Store, "sessions">,
  userId: number,
  expiresAt = 1000,
  idleLimit = 1000,
): Promise<number> {
  const tokenHash = crypto.randomUUID();
  const added = await store.sessions.add({ ...SHORT_SESSION, userId, tokenHash, expiresAt, idleLimit });
  if (!added) throw new Error(`there is no person ${userId}`);
  return added.id;
}

/** Publishes a deployment of a site, an empty one by default, with a temporary session. */
export async function addSite(
  store: Store,
  name: string,
  ownerId: number,
  makePrivate: boolean,
  files: readonly ManifestFile[] = [],
): Promise<Site> {
  const sessionId = await addSession(store, ownerId);
  const facts = { siteName: name, ownerId, sessionId, files, makePrivate, actor: "alice" };
  const { site } = await publishDeployment(store, facts);
  await store.sessions.revoke(sessionId, ownerId);
  return site;
}
