import { randomBytes } from "node:crypto";
import type { OperatorPorts } from "../../src/app/operator.ts";
import { addAccount } from "../../src/domain/accounts/accounts.ts";
import type { User } from "../../src/domain/model/user.ts";

/** The user that `npm start` adds to an empty data folder. */
export const FIRST_LOGIN = "demo";

/** The name of the session in which `npm start` deploys the example site. */
export const SESSION_NAME = "npm start";

/**
 * Adds the first user, an operator, to a data folder without users. Until that user has signed in, each call gives them a
 * new password and returns it, because an earlier one may never have been printed; afterwards null.
 */
export async function prepareFirstUser(ports: OperatorPorts): Promise<string | null> {
  const { users } = ports.store;
  if (ports.provider.method !== "password") return null;
  const password = randomBytes(9).toString("base64url");
  if ((await users.count()) === 0) await addAccount({ ...ports, users }, { login: FIRST_LOGIN, name: null, password });
  const user = await findFirstUser(ports);
  if (user === null || (await hasSignedIn(ports, user))) return null;
  await users.setOperator(user.id, true);
  await users.setPassword(user.id, await ports.passwords.hash(password));
  return password;
}

export function findFirstUser({ store }: Pick<OperatorPorts, "store">): Promise<User | null> {
  return store.users.findByLogin("local", FIRST_LOGIN);
}

// --- internal ---

/** Enough to find something else than the deployments of the example site. */
const CHANGES = 50;

async function hasSignedIn({ store, clock }: OperatorPorts, user: User): Promise<boolean> {
  const sessions = await store.sessions.listOfUser(user.id, clock.now());
  if (sessions.some(({ clientName }) => clientName !== SESSION_NAME)) return true;
  const changes = await store.audit.list({ actor: user.login, from: user.createdAt }, { limit: CHANGES, before: null });
  return changes.some(({ action }) => action !== "POST /deploy");
}
