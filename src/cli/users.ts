import type { OperatorPorts, ReadOnlyPorts } from "../app/operator.ts";
import { userQuota } from "../config/policies.ts";
import { bytes, type Config, duration, orOff, type Parser, Unusable, wholeNumber } from "../config/settings.ts";
import { addAccount } from "../domain/accounts/accounts.ts";
import { checkNewPassword } from "../domain/accounts/password-rules.ts";
import { SESSION_LIFETIME, startSession } from "../domain/accounts/sessions.ts";
import type { Claim } from "../domain/model/claim.ts";
import { type OwnQuota, type Quota, quotaInForce, type Room } from "../domain/model/quota.ts";
import type { Site } from "../domain/model/site.ts";
import type { User } from "../domain/model/user.ts";
import { deleteSite } from "../domain/sites/delete.ts";
import { timestamp } from "../domain/timestamp.ts";
import type { OperatorListOptions, OperatorOptions } from "./command.ts";
import { findUser, onDataFolder, readingDataFolder } from "./operator.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { choosePassword, type PasswordOption } from "./terminal/prompt.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes, formatTime } from "./terminal/units.ts";

/** Prints all users, including readers. */
export async function listUsers(terminal: Terminal, options: OperatorListOptions): Promise<void> {
  const users = await readingDataFolder(terminal, options, usersWithUsage);
  printList(terminal, users, { none: "No users yet. Add one: vitrine users add LOGIN", columns: COLUMNS }, options);
}

type UserWithUsage = ReturnType<typeof userJson> & ReturnType<typeof roomJson>;

const COLUMNS: readonly Column<UserWithUsage>[] = [
  { title: "LOGIN", value: ({ login }) => login },
  { title: "NAME", value: ({ name }) => name ?? "", cut: true },
  { title: "ROLE", value: (user) => `${roleOf(user)}${user.frozen ? ", frozen" : ""}` },
  { title: "SITES", value: ({ sites, max_sites }) => ofLimit(sites, max_sites, String) },
  { title: "STORAGE", value: ({ bytes, max_bytes }) => ofLimit(bytes, max_bytes, formatBytes) },
  { title: "CREATED", value: ({ created_at }) => formatTime(created_at), optional: true },
  { title: "PROVIDER", value: ({ provider }) => provider, optional: true },
];

function roleOf({ operator, may_own }: UserWithUsage): string {
  if (operator) return "operator";
  return may_own ? "owner" : "reader";
}

async function usersWithUsage(ports: ReadOnlyPorts, config: Config): Promise<UserWithUsage[]> {
  const quota = userQuota(config);
  const withUsage = async (user: User) => ({ ...userJson(user), ...roomJson(await roomOf(ports, user, quota)) });
  return Promise.all((await ports.store.users.list()).map(withUsage));
}

/** A user in the API's notation, with the fields that only the operator sees. */
function userJson(user: User) {
  const { login, name, provider, mayOwn, operator, createdAt, frozen } = user;
  return {
    login,
    name,
    provider,
    may_own: mayOwn,
    operator,
    created_at: timestamp(createdAt),
    frozen: frozen && { since: timestamp(frozen.at), reason: frozen.reason },
  };
}

function ofLimit(used: number, limit: number | null, format: (amount: number) => string): string {
  return limit === null ? format(used) : `${format(used)} of ${format(limit)}`;
}

interface AddOptions extends OperatorOptions, PasswordOption {
  readonly name?: string;
}

/**
 * Adds a user who may own sites. For a local account it asks for a password. Without a terminal, the
 * account gets a random password that is not shown; use `users session`, or `users passwd` to set one.
 */
export async function addUser(terminal: Terminal, login: string, options: AddOptions): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const local = ports.provider.method === "password";
    if (!local && options.passwordStdin) {
      throw new UsageError(`${ports.provider.label} manages the passwords`, "Leave out --password-stdin.");
    }
    const known = options.passwordStdin || terminal.canAsk;
    const initial = () => (known ? choosePassword(terminal, options) : crypto.randomUUID());
    const password = local ? await initial() : null;
    const user = await addAccount(
      { ...ports, users: ports.store.users },
      { login, name: options.name ?? null, password },
    );
    await ports.record("users add", { subject: user.login });
    terminal.done(`Added ${user.login}.`);
    if (options.json) terminal.json(userJson(user));
    if (local && !known) terminal.say(`No password was set. Set one: vitrine users passwd ${user.login}`);
  });
}

export async function setPassword(
  terminal: Terminal,
  login: string,
  options: OperatorOptions & PasswordOption,
): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (user.provider !== "local") throw new Failure(`the password of ${user.login} is managed by ${user.provider}`);
    const password = await choosePassword(terminal, options);
    checkNewPassword(password);
    if (!(await ports.store.users.setPassword(user.id, await ports.passwords.hash(password)))) {
      throw new Failure(`${login} was removed in the meantime`, "See all users: vitrine users list");
    }
    await ports.record("users passwd", { subject: user.login });
    terminal.done(`Changed the password of ${user.login} and ended their sessions.`);
  });
}

interface RemoveOptions extends OperatorOptions {
  readonly withSites?: boolean;
}

/**
 * Removes a user with their sessions. A user who owns sites is removed
 * only with --with-sites.
 */
export async function removeUser(terminal: Terminal, login: string, options: RemoveOptions): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    const owned = await ports.store.sites.listOfOwner(user.id);
    if (owned.length > 0 && !options.withSites) throw ownsSites(user, owned);
    for (const site of owned) await refuseWithDomains(ports, user, site);
    const names = owned.map(({ name }) => name);
    await ports.record("users remove", { subject: [user.login, ...names].join(" ") });
    const caller = { kind: "session", user, sessionId: 0, at: ports.clock.now(), signedInAt: null } as const;
    for (const name of names) await deleteSite(ports, caller, name);
    const outcome = await ports.store.users.delete(user.id);
    if (outcome === "owns_sites") throw madeMore(user, names, await ports.store.sites.listOfOwner(user.id));
    const sites = names.length > 0 ? ` and ${count(names.length, "site")}: ${names.join(", ")}` : "";
    terminal.done(`Removed ${user.login}${sites}.`);
  });
}

/** A custom domain that is still connected prevents the removal. */
async function refuseWithDomains({ store }: OperatorPorts, user: User, site: Site): Promise<void> {
  const held = (await store.claims.listOfSite(site.id)).find(holdsItsSite);
  if (!held) return;
  throw new Failure(
    `${site.name} has the custom domain ${held.hostname}: nothing was removed`,
    `Remove it first: vitrine domains remove ${site.name} ${held.hostname} --token $(vitrine users session ${user.login})`,
  );
}

function holdsItsSite({ status, routeStatus }: Claim): boolean {
  const open = status === "pending" || status === "verified";
  return open || (routeStatus !== "not_routed" && routeStatus !== "removed");
}

function ownsSites(user: User, sites: readonly Site[]): Failure {
  const names = sites.map(({ name }) => name);
  return new Failure(
    `${user.login} owns ${count(names.length, "site")}: ${names.join(", ")}; nothing was removed`,
    `Delete them too, after a backup: vitrine users remove ${user.login} --with-sites`,
  );
}

/** The user may deploy a new site while the others are deleted. */
function madeMore(user: User, deleted: readonly string[], sites: readonly Site[]): Failure {
  const names = sites.map(({ name }) => name).join(", ");
  const gone = deleted.length > 0 ? `; deleted: ${deleted.join(", ")}` : "";
  return new Failure(
    `${user.login} was not removed: it has new sites (${names})${gone}`,
    `Run it again: vitrine users remove ${user.login} --with-sites`,
  );
}

/** Sets or removes the operator role. Unlike the console, this can remove the last operator. */
export async function setOperator(
  terminal: Terminal,
  login: string,
  state: string,
  options: OperatorOptions,
): Promise<void> {
  if (state !== "on" && state !== "off") throw new UsageError(`${JSON.stringify(state)} is not usable; give on or off`);
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    await ports.record("users operator", { subject: `${user.login} ${state}` });
    await ports.store.users.setOperator(user.id, state === "on");
    terminal.done(state === "on" ? `${user.login} is an operator.` : `${user.login} is no longer an operator.`);
  });
}

interface SessionOptions extends OperatorOptions {
  readonly ttl?: string;
}

/** Prints a new session token, for scripts and for users who cannot sign in. */
export async function createSession(terminal: Terminal, login: string, options: SessionOptions): Promise<void> {
  const lifetime = options.ttl === undefined ? {} : { lifetime: readLifetime(options.ttl) };
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (user.frozen)
      throw new Failure(`${user.login} is frozen`, `Unfreeze the user first: vitrine users unfreeze ${user.login}`);
    const { token, session } = await startSession(ports, {
      userId: user.id,
      clientName: "vitrine users session",
      address: null,
      ...lifetime,
    });
    await ports.record("users session", { subject: user.login });
    const expiresAt = timestamp(session.expiresAt);
    if (options.json) return terminal.json({ token, expires_at: expiresAt });
    terminal.data(token);
    terminal.say(terminal.style.dim(`Session of ${user.login}, valid until ${formatTime(expiresAt)} at the latest.`));
  });
}

function readLifetime(text: string): number {
  try {
    const lifetime = duration(text, "");
    if (lifetime <= SESSION_LIFETIME) return lifetime;
    throw new Unusable("at most 90d, after which every session ends");
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new UsageError(`--ttl: ${JSON.stringify(text)} is not usable; give ${error.usable}`);
  }
}

interface LimitOptions extends OperatorOptions {
  readonly sites?: string;
  readonly bytes?: string;
}

/** Sets a user's own limits, and prints the effective limits with the usage. */
export async function limitUser(terminal: Terminal, login: string, options: LimitOptions): Promise<void> {
  const changes: Change[] = [...read("sites", options.sites, wholeNumber(0)), ...read("bytes", options.bytes, bytes)];
  if (changes.length > 0) {
    await onDataFolder(terminal, options, async (ports) => change(ports, await findUser(ports, login), changes));
  }
  const { user, quota, usage } = await readingDataFolder(terminal, options, async (ports, config) => {
    const user = await findUser(ports, login);
    return { user, ...(await roomOf(ports, user, userQuota(config))) };
  });
  if (options.json) return terminal.json({ login: user.login, ...roomJson({ quota, usage }) });
  terminal.data(`sites    ${usage.sites}${quota.sites === null ? " (no limit)" : ` of ${quota.sites}`}`);
  terminal.data(
    `storage  ${formatBytes(usage.bytes)}${quota.bytes === null ? " (no limit)" : ` of ${formatBytes(quota.bytes)}`}`,
  );
}

// --- internal ---

/** A new limit: null for no limit, undefined for the server's. */
interface Change {
  readonly kind: keyof Quota;
  readonly most: number | null | undefined;
}

function read(kind: keyof Quota, text: string | undefined, parse: Parser<number>): Change[] {
  if (text === undefined) return [];
  if (text === "default") return [{ kind, most: undefined }];
  try {
    return [{ kind, most: orOff(parse)(text, "") }];
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new UsageError(`--${kind}: ${JSON.stringify(text)} is not usable; give ${error.usable} or default`);
  }
}

async function change({ store, record }: OperatorPorts, user: User, changes: readonly Change[]): Promise<void> {
  const own: Partial<Record<keyof Quota, number | null>> = { ...(await store.quotas.own(user.id)) };
  for (const { kind, most } of changes) {
    if (most === undefined) delete own[kind];
    else own[kind] = most;
  }
  const limits = changes.map(({ kind, most }) => `${kind}=${most === undefined ? "default" : (most ?? "off")}`);
  await record("users limit", { subject: [user.login, ...limits].join(" ") });
  await store.quotas.setOwn(user.id, own satisfies OwnQuota);
}

/** Returns a user's limits and usage. */
async function roomOf({ store }: Pick<ReadOnlyPorts, "store">, user: User, standard: Quota): Promise<Room> {
  const quota = quotaInForce(standard, await store.quotas.own(user.id));
  return { quota, usage: await store.quotas.usage(user.id) };
}

/** Limits and usage as commands print them; null is no limit. */
function roomJson({ quota, usage }: Room) {
  return { sites: usage.sites, bytes: usage.bytes, max_sites: quota.sites, max_bytes: quota.bytes };
}
