import type { User } from "../../domain/sign-in/user.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { onDataFolder } from "../operator.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";

/** Prints everybody the data folder knows, readers too. */
export async function run(terminal: Terminal, options: OperatorOptions & JsonOption): Promise<void> {
  const users = await onDataFolder(terminal, options, ({ store }) => store.users.list());
  if (options.json) return terminal.data(JSON.stringify(users.map(userJson), null, 2));
  if (users.length === 0) return terminal.say("Nobody yet. Add somebody: vitrine users add LOGIN");
  const rows = users.map((user) => [
    user.login,
    user.name ?? "",
    user.provider,
    user.mayOwn ? "owner" : "reader",
    formatTime(timestamp(user.createdAt)),
  ]);
  terminal.data(table(terminal.dataStyle, ["LOGIN", "NAME", "PROVIDER", "ROLE", "SINCE"], rows));
}

/** A person as the API writes one, with what only the operator sees. */
export function userJson(user: User) {
  const { login, name, provider, mayOwn, createdAt } = user;
  return { login, name, provider, may_own: mayOwn, created_at: timestamp(createdAt) };
}
