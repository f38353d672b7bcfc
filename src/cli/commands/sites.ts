import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function siteCommands(lazy: Lazy): Command[] {
  return [
    group("sites", "manage your sites", [listCommand(lazy), tagCommand(lazy), deleteCommand(lazy)]).examples(
      "vitrine sites list",
      "vitrine sites list --json",
      "vitrine sites delete hello",
    ),
  ];
}

// --- internal ---

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list your sites")
    .option("--tag <TAG>", "only sites with this tag")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine sites list", "vitrine sites list --tag client", "vitrine sites list --json")
    .action(lazy(() => import("../sites.ts"), "listSites"));
}

function tagCommand(lazy: Lazy): Command {
  return clientCommand("tag", "set a site's tags, in place of those that it has")
    .argument("<name>")
    .argument("[tag...]", "up to 10 tags, in lower case")
    .option("--clear", "remove all tags")
    .addOption(jsonOption())
    .examples(
      "vitrine sites tag hello client docs",
      "vitrine sites tag hello --clear",
      "vitrine sites tag hello client --json",
    )
    .action(lazy(() => import("../sites.ts"), "tagSite"));
}

function deleteCommand(lazy: Lazy): Command {
  return clientCommand("delete", "delete a site and all its deployments")
    .argument("<name>")
    .option("-y, --yes", "do not ask")
    .note("Without a terminal to ask at, the command needs --yes.")
    .examples(
      "vitrine sites delete hello",
      "vitrine sites delete hello --yes",
      "vitrine sites delete hello --server https://pages.example.org",
    )
    .action(lazy(() => import("../sites.ts"), "deleteSite"));
}
