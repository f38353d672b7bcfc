import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Reader } from "../client/types.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints the readers of a private site. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & LongOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const readers = await client.list<Reader>(path`/sites/${site}/access/readers`);
  if (options.json) return terminal.json(readers);
  if (readers.length === 0) return terminal.say(`No readers. Add one: vitrine readers add ${site} LOGIN`);
  const rows = readers.map((reader) => [reader.provider_login, reader.provider_name ?? ""]);
  printTable(terminal, ["LOGIN", { title: "NAME", cut: true }], rows, options);
}
