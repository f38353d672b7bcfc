import { ApiError } from "../client/api-error.ts";
import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Reader } from "../client/types.ts";
import { Failure } from "../errors.ts";
import { printable } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Lets a person into a private site. */
export async function run(
  terminal: Terminal,
  site: string,
  login: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const request = client.post<Reader>(path`/sites/${site}/access/readers`, { provider_login: login });
  const reader = await request.catch((error) => adviseOnPublicSite(error, site));
  if (options.json) return terminal.json(reader);
  terminal.done(`${printable(reader.provider_login)} is now a reader of ${site}.`);
}

/** Only private sites have readers: says how to make this one private. */
export function adviseOnPublicSite(error: unknown, site: string): never {
  if (error instanceof ApiError && error.httpStatus === 409) {
    throw new Failure(error.message, `Make it private first: vitrine access private ${site}`);
  }
  throw error;
}
