import { connect } from "../client/connect.ts";
import type { CreatedDeploymentToken } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

interface TokenOptions {
  readonly name?: string;
  readonly permission?: string;
  readonly expiresIn?: string;
}

/** Prints a new deployment token on stdout; nobody can see it again. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & TokenOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const { name, permission, expiresIn: expires_in } = options;
  const body = { site_name: site, name, permission, expires_in };
  const created = await client.post<CreatedDeploymentToken>("/tokens", body);
  if (options.json) return terminal.json(created);
  terminal.data(printable(created.token));
  const rights =
    created.permission === "publish"
      ? `deploy to ${site}, and list and activate its deployments`
      : `make previews of ${site}, and list its deployments`;
  terminal.say(`Save this token now; it is not shown again. It can ${rights}:`);
  terminal.say(`  VITRINE_TOKEN=… vitrine deploy FOLDER --site ${site} --server ${client.server}`);
  terminal.say(`Revoke it: vitrine tokens revoke ${created.id}`);
}
