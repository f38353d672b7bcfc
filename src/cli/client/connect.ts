import { PLATFORM } from "../../config/version.ts";
import { Failure, UsageError } from "../terminal/errors.ts";
import type { ListOptions } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connectFromCi, hasCiIdentity } from "./ci-identity.ts";
import { ApiClient } from "./client.ts";
import { readCredentials } from "./credentials.ts";
import { parseUrl } from "./parse-url.ts";
import { versionNotice } from "./version-notice.ts";

/** Options of every command that connects to a server. */
export interface ClientOptions {
  readonly server?: string;
  readonly token?: string;
  /** Only of commands with `jsonOption`. */
  readonly json?: boolean;
}

export type ClientListOptions = ClientOptions & ListOptions;

/** The server that this client came from, which is declared at the start of its npm package. */
declare const VITRINE_SERVER: string | undefined;
export const HOME_SERVER = typeof VITRINE_SERVER === "string" ? VITRINE_SERVER : null;

const LOCAL_SERVER = "http://localhost:8080";

/**
 * Returns the client for a command. The server is `--server`, else $VITRINE_SERVER, else the one that this client came
 * from, else the one of the last sign-in, else localhost. The credential is `--token`, else $VITRINE_TOKEN, else the one
 * saved for that server.
 */
export async function connect(terminal: Terminal, options: ClientOptions): Promise<ApiClient> {
  const client = await connectWithoutToken(terminal, options);
  if (client.token !== null) return client;
  throw new Failure(
    `not signed in to ${client.server}`,
    `Sign in: vitrine login --server ${client.server}, or set VITRINE_TOKEN.`,
  );
}

/**
 * Like `connect`, for what a deployment token may do: a CI run without a token exchanges its ID token for one of the
 * site. `site` is null if none is given.
 */
export async function connectToSite(
  terminal: Terminal,
  options: ClientOptions,
  site: string | null,
): Promise<ApiClient> {
  const { env } = terminal;
  if (options.token || env.VITRINE_TOKEN || !hasCiIdentity(env)) return connect(terminal, options);
  if (site === null) throw new UsageError("a deployment from CI must name its site", "Give --site NAME.");
  return connectFromCi(await connectWithoutToken(terminal, options), site, env);
}

/** Like `connect`, for commands that also work without a credential. */
export async function connectWithoutToken(terminal: Terminal, options: ClientOptions): Promise<ApiClient> {
  const { env } = terminal;
  const { current, servers } = await readCredentials(env);
  const server = serverUrl(options.server || env.VITRINE_SERVER || HOME_SERVER || current || LOCAL_SERVER);
  const given = options.token || env.VITRINE_TOKEN || null;
  if (given !== null && !/^[!-~]+$/.test(given.trim())) {
    throw new UsageError(
      "the token contains characters that no token has",
      "Copy it again: vts_… or vtd_…, on one line.",
    );
  }
  const seen = versionNotice(terminal, server, HOME_SERVER === null ? PLATFORM : "npm");
  return new ApiClient(server, given?.trim() ?? servers[server]?.token ?? null, seen);
}

/** Returns a server's base URL. Without a scheme it is HTTPS, for a loopback name HTTP. */
export function serverUrl(given: string): string {
  const local = /^(localhost|[^/]*\.localhost|127\.[\d.]+|\[::1\])(:\d+)?\/?$/i.test(given);
  const text = /^https?:\/\//i.test(given) ? given : `${local ? "http" : "https"}://${given}`;
  const url = parseUrl(text);
  if (url?.pathname !== "/" || url.search || url.hash || url.username) {
    throw new UsageError(`${given} is not a server's URL`, "Give its base URL, such as https://pages.example.org");
  }
  return url.origin;
}
