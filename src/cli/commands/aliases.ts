import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function aliasCommands(lazy: Lazy): Command[] {
  return [
    group("aliases", "manage a site's aliases, which point to deployments", [
      listCommand(lazy),
      setCommand(lazy),
      removeCommand(lazy),
    ]).examples(
      "vitrine aliases list hello",
      "vitrine aliases set hello staging 12",
      "vitrine aliases remove hello staging",
    ),
    promoteCommand(lazy),
  ];
}

// --- internal ---

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's aliases")
    .argument("<site>")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine aliases list hello", "vitrine aliases list hello --long", "vitrine aliases list hello --json")
    .action(lazy(() => import("../aliases.ts"), "listAliases"));
}

function setCommand(lazy: Lazy): Command {
  return clientCommand("set", "point an alias to a deployment, and create it if necessary")
    .argument("<site>")
    .argument("<alias>")
    .argument("<number>")
    .option("--expires <DURATION>", "when the alias expires, such as 14d (default: never)")
    .addOption(jsonOption())
    .note("An alias becomes a DNS label: lower case, with hyphens for all but a-z and 0-9.")
    .examples(
      "vitrine aliases set hello staging 12",
      "vitrine aliases set hello feature/login 12 --expires 14d",
      "vitrine aliases set hello staging 12 --json",
    )
    .action(lazy(() => import("../aliases.ts"), "setAlias"));
}

function removeCommand(lazy: Lazy): Command {
  return clientCommand("remove", "remove an alias; its deployment stays")
    .argument("<site>")
    .argument("<alias>")
    .examples(
      "vitrine aliases remove hello staging",
      "vitrine aliases remove hello feature/login",
      "vitrine aliases remove hello staging --server https://pages.example.org",
    )
    .action(lazy(() => import("../aliases.ts"), "removeAlias"));
}

function promoteCommand(lazy: Lazy): Command {
  return clientCommand("promote", "activate the deployment that an alias points to")
    .argument("<site>")
    .argument("<alias>")
    .addOption(jsonOption())
    .examples(
      "vitrine promote hello staging",
      "vitrine promote hello feature/login",
      "vitrine promote hello pr-12 --json",
    )
    .action(lazy(() => import("../aliases.ts"), "promote"));
}
