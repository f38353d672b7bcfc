import { connect } from "../client/connect.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { setAccess } from "./set-access.ts";

/** Lets only the owner and the site's readers in. */
export async function run(terminal: Terminal, site: string, options: ClientOptions & JsonOption): Promise<void> {
  await setAccess(terminal, await connect(terminal, options), site, true, options);
}
