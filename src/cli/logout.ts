import { ApiError } from "./client/api-error.ts";
import { connect } from "./client/connect.ts";
import { forgetCredential, readCredentials } from "./client/credentials.ts";
import { Failure } from "./errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions } from "./verb.ts";

/**
 * Ends the session at the server and forgets it here. A credential that the server does not know any more is
 * forgotten as well; when the server does not answer, the person is told that the session lives on there.
 */
export async function run(terminal: Terminal, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const saved = (await readCredentials(terminal.env)).servers[client.server];
  const forget = async () => {
    if (saved?.token === client.token) await forgetCredential(terminal.env, client.server);
  };
  try {
    await client.delete("/auth/session");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const unknownThere = error instanceof ApiError && error.httpStatus === 401;
    if (error instanceof ApiError && !unknownThere) throw error;
    await forget();
    if (!unknownThere)
      throw new Failure(
        `Signed out on this machine only: ${error.message}`,
        "The session at the server ends when it expires.",
      );
  }
  await forget();
  terminal.done(`Signed out of ${client.server}.`);
}
