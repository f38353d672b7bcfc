import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Reader } from "../client/types.ts";
import { Failure } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";
import { adviseOnPublicSite } from "./add.ts";

/** Lets a person into a private site no more; their next request is refused. */
export async function run(terminal: Terminal, site: string, login: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const readers = await client.list<Reader>(path`/sites/${site}/access/readers`);
  const reader = readers.find((candidate) => candidate.provider_login.toLowerCase() === login.toLowerCase());
  if (!reader)
    throw new Failure(`${login} is not a reader of ${site}.`, `See its readers: vitrine readers list ${site}`);
  await client
    .delete(path`/sites/${site}/access/readers/${reader.id}`)
    .catch((error) => adviseOnPublicSite(error, site));
  terminal.done(`${login} is no longer a reader of ${site}.`);
}
