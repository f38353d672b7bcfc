import { nodeResponse } from "../api/schemas/nodes.ts";
import type { ReadOnlyPorts } from "../app/operator.ts";
import { DomainError } from "../domain/errors.ts";
import { requestDrain } from "../domain/operators/nodes.ts";
import type { NodeDirectory } from "../domain/ports/store/nodes.ts";
import type { OperatorListOptions, OperatorOptions } from "./command.ts";
import { onDataFolder, readingDataFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

/** Prints the nodes of the cluster. */
export async function listNodes(terminal: Terminal, options: OperatorListOptions): Promise<void> {
  const found = await readingDataFolder(terminal, options, (ports) => nodesOf(ports).list());
  const none = "No node uses this database. Start one: vitrine serve";
  printList(terminal, found.map(nodeResponse), { none, columns: COLUMNS }, options);
}

/** Requests that a node stop once its visitors have gone to the others. */
export async function drainNode(terminal: Terminal, name: string, options: OperatorOptions): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    nodesOf(ports);
    const node = await requestDrain(ports, name, () => ports.record("nodes drain", { subject: name })).catch(
      (error) => {
        if (!(error instanceof DomainError)) throw error;
        throw new Failure(error.detail, "See all nodes: vitrine nodes list");
      },
    );
    if (options.json) return terminal.json(nodeResponse(node));
    if (node.state === "isolated") {
      return terminal.say(`${name} does not reach the database. It drains as soon as it does.`);
    }
    terminal.done(`${name} is draining, and ends once its visitors have gone to the other nodes.`);
  });
}

// --- internal ---

const COLUMNS: readonly Column<ReturnType<typeof nodeResponse>>[] = [
  { title: "NAME", value: ({ name }) => name },
  { title: "STATE", value: ({ state }) => state },
  { title: "ADDRESS", value: ({ address }) => address, cut: true },
  { title: "VERSION", value: ({ version }) => version, optional: true },
  { title: "APPLIED", value: ({ applied }) => String(applied), optional: true },
  { title: "LAST SEEN", value: ({ last_seen_at }) => formatTime(last_seen_at) },
];

function nodesOf({ store }: ReadOnlyPorts): NodeDirectory {
  if (store.nodes !== null) return store.nodes;
  throw new Failure(
    "this server has no other nodes: its metadata is in the data folder",
    "Name the database of the nodes with --database or VITRINE_DATABASE, such as postgres://vitrine@HOST/vitrine",
  );
}
