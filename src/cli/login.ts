import { hostname } from "node:os";
import { MAX_CLIENT_NAME_LENGTH } from "../domain/accounts/device-authorization.ts";
import { firstCharacters } from "../domain/characters.ts";
import { ApiClient } from "./client/client.ts";
import { connectWithoutToken } from "./client/connect.ts";
import { saveCredential } from "./client/credentials.ts";
import { waitForApproval } from "./client/device-flow.ts";
import type { DeviceAuthorization, User } from "./client/types.ts";
import { Failure } from "./errors.ts";
import { openBrowser } from "./terminal/browser.ts";
import { spin } from "./terminal/spinner.ts";
import { printable } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions } from "./verb.ts";

interface Options extends ClientOptions {
  readonly browser?: boolean;
}

/** Signs in with the browser (RFC 8628), or with the credential of `--token`, and saves it for the server. */
export async function run(
  terminal: Terminal,
  options: Options,
  sleep: (milliseconds: number) => Promise<void> = Bun.sleep,
): Promise<void> {
  const { server } = await connectWithoutToken(terminal, options);
  if (options.token) {
    const user = await new ApiClient(server, options.token).get<User>("/auth/me");
    return keep(terminal, server, options.token, user);
  }
  const client = new ApiClient(server, null);
  const device = await client.post<DeviceAuthorization>("/auth/device", {
    client_name: firstCharacters(`vitrine on ${hostname()}`, MAX_CLIENT_NAME_LENGTH),
  });
  const address = verificationPage(server, device.verification_uri_complete);
  await showCode(terminal, device, options.browser !== false, address);
  const grant = await spin(terminal, "Waiting for you to approve it in the browser", () =>
    waitForApproval(client, device, sleep),
  );
  await keep(terminal, server, grant.access_token, grant.user);
}

/**
 * Returns the address of the page that the server names, as a URL parser writes it. The system's opener takes what it is
 * given for an option, a file or a program as well: a server may only name a page of its own. Rejects with `Failure`.
 */
export function verificationPage(server: string, named: string): string {
  const page = URL.parse(named);
  const isItsOwn = page?.origin === server && /^https?:$/.test(page.protocol) && page.username + page.password === "";
  if (isItsOwn) return page.href;
  throw new Failure(
    `${server} names no page of its own to sign in at, but ${page?.host ? page.origin : "something else"}.`,
    "Give the server's own base URL: vitrine login --server URL",
  );
}

async function showCode(terminal: Terminal, device: DeviceAuthorization, mayOpen: boolean, address: string) {
  const { bold, cyan } = terminal.style;
  const opened = mayOpen && terminal.lively && (await openBrowser(address, terminal.env));
  terminal.say(opened ? "Opening this page in your browser:" : "Open this page in a browser:");
  terminal.say(`  ${cyan(address)}`);
  terminal.say(`Check that it shows this code: ${bold(printable(device.user_code))}`);
}

async function keep(terminal: Terminal, server: string, token: string, user: User): Promise<void> {
  await saveCredential(terminal.env, server, { token, login: user.login });
  terminal.done(`Signed in to ${server} as ${printable(user.login)}.`);
  if (terminal.env.VITRINE_TOKEN)
    terminal.say("Note: VITRINE_TOKEN is set, and is used instead of the saved credential.");
}
