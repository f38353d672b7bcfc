import { connect } from "../client/connect.ts";
import type { CreatedDeploymentToken } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints a new deployment token on stdout; nobody can see it again. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & { readonly name?: string },
): Promise<void> {
  const client = await connect(terminal, options);
  const body = { site_name: site, ...(options.name === undefined ? {} : { name: options.name }) };
  const created = await client.post<CreatedDeploymentToken>("/tokens", body);
  if (options.json) return terminal.json(created);
  terminal.data(printable(created.token));
  terminal.say(
    `Save this token now; it is not shown again. It can deploy to ${site}, and list and activate its deployments:`,
  );
  terminal.say(`  VITRINE_TOKEN=… vitrine deploy FOLDER --site ${site} --server ${client.server}`);
  terminal.say(`Revoke it: vitrine tokens revoke ${created.id}`);
}
