import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { DeviceAuthorization, User } from "../api/schemas/types.ts";
import { MAX_CLIENT_NAME_LENGTH } from "../domain/accounts/device-authorization.ts";
import { firstCharacters } from "../domain/characters.ts";
import { printable } from "../domain/printable.ts";
import { ApiError } from "./client/api-error.ts";
import { type ClientOptions, connect, connectWithoutToken, HOME_SERVER } from "./client/connect.ts";
import { forgetCredential, readCredentials, saveCredential } from "./client/credentials.ts";
import { waitForApproval } from "./client/device-flow.ts";
import { parseUrl } from "./client/parse-url.ts";
import { openBrowser } from "./terminal/browser.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { spin } from "./terminal/progress.ts";
import { askNewPassword, askOldPassword, readPasswordsFromStdin } from "./terminal/prompt.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface LoginOptions extends ClientOptions {
  readonly browser?: boolean;
  readonly scope?: string;
}

/** Signs in with the browser (RFC 8628), or with the credential of `--token`, and saves it for the server. */
export async function login(
  terminal: Terminal,
  options: LoginOptions,
  sleep: (milliseconds: number) => Promise<void> = setTimeout,
): Promise<void> {
  const connection = await connectWithoutToken(terminal, options);
  const { server } = connection;
  if (options.token) {
    if (options.scope) throw new UsageError("the credential of --token has its scope already", "Leave out --scope.");
    const user = await connection.withToken(options.token).get<User>("/auth/me");
    return keep(terminal, server, options.token, user);
  }
  const client = connection.withToken(null);
  const device = await client.post<DeviceAuthorization>("/auth/device", {
    client_name: firstCharacters(`vitrine on ${hostname()}`, MAX_CLIENT_NAME_LENGTH),
    ...(options.scope ? { scope: options.scope } : {}),
  });
  const page = verificationPage(server, device.verification_uri_complete);
  await showCode(terminal, device, options.browser !== false, page);
  const grant = await spin(terminal, "Waiting for you to approve it in the browser", () =>
    waitForApproval(client, device, sleep),
  );
  await keep(terminal, server, grant.access_token, { ...grant.user, scope: grant.scope });
}

/**
 * Returns the normalized URL of the sign-in page that the server names. The system's opener also accepts options, files
 * and programs, so that a server may only name a page of its own. Throws `Failure`.
 */
export function verificationPage(server: string, named: string): string {
  const page = parseUrl(named);
  const isItsOwn = page?.origin === server && /^https?:$/.test(page.protocol) && page.username + page.password === "";
  if (isItsOwn) return page.href;
  throw new Failure(
    `${server} names no page of its own to sign in at, but ${page?.host ? page.origin : "something else"}`,
    "Give the server's own base URL: vitrine login --server URL",
  );
}

async function showCode(terminal: Terminal, device: DeviceAuthorization, mayOpen: boolean, page: string) {
  const { bold, cyan } = terminal.style;
  const opened = mayOpen && terminal.canRedraw && (await openBrowser(page, terminal.env));
  terminal.say(opened ? "Opening this page in your browser:" : "Open this page in a browser:");
  terminal.say(`  ${cyan(page)}`);
  terminal.say(`Check that it shows this code: ${bold(printable(device.user_code))}`);
}

/** The user who signed in; `scope` is absent for full access to the account. */
type SignedIn = Pick<User, "login"> & { readonly scope?: string | undefined };

async function keep(terminal: Terminal, server: string, token: string, { login, scope }: SignedIn): Promise<void> {
  await saveCredential(terminal.env, server, { token, login });
  terminal.done(`Signed in to ${server} as ${printable(login)}.`);
  if (scope) terminal.say(`The scope is ${printable(scope)}.`);
  if (HOME_SERVER !== null && server !== HOME_SERVER) {
    terminal.say(`Note: this client came from ${HOME_SERVER}. Give other commands --server ${server} too.`);
  }
  if (terminal.env.VITRINE_TOKEN)
    terminal.say("Note: VITRINE_TOKEN is set, and is used instead of the saved credential.");
}

/**
 * Ends the session on the server and deletes the saved credential. A credential that the server no longer knows is
 * deleted as well. If the server does not answer, the message says that the session still exists there.
 */
export async function logout(terminal: Terminal, options: ClientOptions): Promise<void> {
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
        `signed out on this machine only: ${error.message}`,
        "The session at the server ends when it expires.",
      );
  }
  await forget();
  terminal.done(`Signed out of ${client.server}.`);
}

export async function whoami(terminal: Terminal, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const user = await client.get<User>("/auth/me");
  if (options.json) return terminal.json(user);
  terminal.data(printable(user.login));
  terminal.say(terminal.style.dim(`${user.name ? `${printable(user.name)}, ` : ""}at ${client.server}`));
  if (user.scope) terminal.say(`The scope is ${printable(user.scope)}.`);
}

interface PasswordOptions extends ClientOptions {
  readonly passwordStdin?: boolean;
}

/** Changes the caller's password, which ends their other sessions. */
export async function changePassword(terminal: Terminal, options: PasswordOptions): Promise<void> {
  const client = await connect(terminal, options);
  const { old, next } = await choosePasswords(terminal, options);
  await client.request("POST", "/auth/password", { old_password: old, new_password: next });
  terminal.done("Changed your password and ended your other sessions.");
}

async function choosePasswords(terminal: Terminal, { passwordStdin }: PasswordOptions) {
  if (passwordStdin) return readPasswordsFromStdin(terminal);
  if (terminal.canAsk) return { old: await askOldPassword(terminal), next: await askNewPassword(terminal, NEW) };
  throw new UsageError("cannot ask for the passwords without a terminal", "Pass them on stdin: --password-stdin");
}

const NEW = "New password: ";
