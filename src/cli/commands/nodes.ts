import type { Command } from "commander";
import { group, jsonOption, type Lazy, longOption, operatorCommand } from "../command.ts";

export function nodeCommands(lazy: Lazy): Command[] {
  return [
    group("nodes", "see and drain the nodes of a cluster", [listCommand(lazy), drainCommand(lazy)]).examples(
      "vitrine nodes list",
      "vitrine nodes list --json",
      "vitrine nodes drain eu-1",
    ),
  ];
}

// --- internal ---

function listCommand(lazy: Lazy): Command {
  return operatorCommand("list", "list the nodes that share the database")
    .addOption(longOption())
    .addOption(jsonOption())
    .note(
      "An isolated node has not reached the database for some seconds: it is cut off, or it ended unexpectedly. It is listed for a day, or until it starts again.",
    )
    .examples("vitrine nodes list", "vitrine nodes list --long", "vitrine nodes list --json")
    .action(lazy(() => import("../nodes.ts"), "listNodes"));
}

function drainCommand(lazy: Lazy): Command {
  return operatorCommand("drain", "stop a node without losing a request")
    .argument("<name>")
    .addOption(jsonOption())
    .note(
      "The node answers GET /ready with 503, so that the balancer sends visitors to the others, finishes its requests, and ends. The last live node is not drained. A service manager that always restarts the process, such as Compose with restart: unless-stopped, brings the node back.",
    )
    .examples(
      "vitrine nodes drain eu-1",
      "vitrine nodes drain eu-1 --json",
      "vitrine nodes drain eu-1 --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../nodes.ts"), "drainNode"));
}
