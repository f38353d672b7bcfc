import { ApiError } from "../client/api-error.ts";
import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { Failure } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";

/** Ends a deployment token; its next use is refused. */
export async function run(terminal: Terminal, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/tokens/${id}`).catch((error) => {
    if (!(error instanceof ApiError) || error.httpStatus !== 404) throw error;
    throw new Failure(error.message, "See your tokens: vitrine tokens list");
  });
  terminal.done(`Revoked the token ${id}.`);
}
