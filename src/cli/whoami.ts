import { connect } from "./client/connect.ts";
import type { User } from "./client/types.ts";
import { printable } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "./verb.ts";

/** Prints who the credential belongs to. */
export async function run(terminal: Terminal, options: ClientOptions & JsonOption): Promise<void> {
  const client = await connect(terminal, options);
  const user = await client.get<User>("/auth/me");
  if (options.json) return terminal.json(user);
  terminal.data(printable(user.login));
  terminal.say(terminal.style.dim(`${user.name ? `${printable(user.name)}, ` : ""}at ${client.server}`));
}
