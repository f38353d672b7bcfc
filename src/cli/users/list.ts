import type { LookingPorts } from "../../app/operator.ts";
import { userQuota } from "../../app/policies.ts";
import type { Config } from "../../config/settings.ts";
import type { Room } from "../../domain/accounts/quota.ts";
import type { User } from "../../domain/accounts/user.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { lookingAtDataFolder } from "../operator.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";
import { roomJson, roomOf } from "./room.ts";

/** Prints everybody that the data folder knows, readers too. */
export async function run(terminal: Terminal, options: OperatorOptions & JsonOption & LongOption): Promise<void> {
  const listed = await lookingAtDataFolder(terminal, options, everybody);
  if (options.json) {
    return terminal.data(
      JSON.stringify(
        listed.map(({ user, ...room }) => ({ ...userJson(user), ...roomJson(room) })),
        null,
        2,
      ),
    );
  }
  if (listed.length === 0) return terminal.say("No users yet. Add one: vitrine users add LOGIN");
  const rows = listed.map(({ user, quota, usage }) => [
    user.login,
    user.name ?? "",
    `${user.mayOwn ? "owner" : "reader"}${user.frozen ? ", frozen" : ""}`,
    ofLimit(String(usage.sites), quota.sites),
    ofLimit(formatBytes(usage.bytes), quota.bytes === null ? null : formatBytes(quota.bytes)),
    formatTime(timestamp(user.createdAt)),
    user.provider,
  ]);
  const columns = [
    "LOGIN",
    { title: "NAME", cut: true },
    "ROLE",
    "SITES",
    "STORAGE",
    { title: "CREATED", optional: true },
    { title: "PROVIDER", optional: true },
  ] as const;
  printTable(terminal, columns, rows, options);
}

async function everybody(ports: LookingPorts, config: Config): Promise<({ readonly user: User } & Room)[]> {
  const users = await ports.store.users.list();
  return Promise.all(users.map(async (user) => ({ user, ...(await roomOf(ports, user, userQuota(config))) })));
}

/** A person as the API writes one, with what only the operator sees. */
export function userJson(user: User) {
  const { login, name, provider, mayOwn, createdAt, frozen } = user;
  return {
    login,
    name,
    provider,
    may_own: mayOwn,
    created_at: timestamp(createdAt),
    frozen: frozen && { since: timestamp(frozen.at), reason: frozen.reason },
  };
}

function ofLimit(used: string, limit: string | number | null): string {
  return limit === null ? used : `${used} of ${limit}`;
}
