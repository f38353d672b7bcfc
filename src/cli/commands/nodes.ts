import type { Command } from "commander";
import { group, operatorCommand } from "../command.ts";

const nodes = () => import("../nodes.ts");

export function nodeCommands(): Command[] {
  return [
    group("nodes", "see and drain the nodes of a cluster", [
      operatorCommand("list", "list the nodes that share the database")
        .listOptions()
        .note(
          "An isolated node has not reached the database for some seconds: it is cut off, or it ended unexpectedly. It is listed for a day, or until it starts again.",
        )
        .examples("vitrine nodes list")
        .runs(nodes, "listNodes"),
      operatorCommand("drain <name>", "stop a node without losing a request")
        .jsonOption()
        .note(
          "The node answers GET /ready with 503, so that the balancer sends visitors to the others, finishes its requests, and ends. The last live node is not drained. A service manager that always restarts the process, such as Compose with restart: unless-stopped, brings the node back.",
        )
        .examples("vitrine nodes drain eu-1")
        .runs(nodes, "drainNode"),
    ]).examples("vitrine nodes list", "vitrine nodes drain eu-1"),
  ];
}
