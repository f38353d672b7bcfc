import { connect } from "../client/connect.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { howToAdd, listClaims } from "./find-claim.ts";

/** Prints a site's custom domains; as JSON all of its claims, as the API has them. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & LongOption & { readonly all?: boolean },
): Promise<void> {
  const client = await connect(terminal, options);
  const claims = await listClaims(client, site, options.all === true || options.json === true);
  if (options.json) return terminal.json(claims);
  if (claims.length === 0) return terminal.say(`No custom domains. ${await howToAdd(client, site, "HOSTNAME")}`);
  const rows = claims.map((claim) => [
    claim.hostname,
    claim.connection_status.replaceAll("_", " "),
    claim.transition_error ?? claim.activation_error ?? claim.route_error ?? claim.last_error ?? "",
    claim.status,
    claim.effective_mode ?? "",
  ]);
  const columns = [
    "HOSTNAME",
    "STATUS",
    { title: "ERROR", cut: true },
    { title: "CLAIM", optional: true },
    { title: "MODE", optional: true },
  ] as const;
  printTable(terminal, columns, rows, options);
}
