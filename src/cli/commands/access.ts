import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function accessCommands(lazy: Lazy): Command[] {
  return [
    group("access", "control who can view a site", [
      showCommand(lazy),
      privateCommand(lazy),
      publicCommand(lazy),
    ]).examples("vitrine access show hello", "vitrine access private hello", "vitrine access public hello"),
    group("readers", "manage who can view a private site", [
      listCommand(lazy),
      addCommand(lazy),
      removeCommand(lazy),
    ]).examples("vitrine readers list hello", "vitrine readers add hello grace", "vitrine readers remove hello grace"),
  ];
}

// --- internal ---

function showCommand(lazy: Lazy): Command {
  return clientCommand("show", "show whether a site is public or private")
    .argument("<site>")
    .addOption(jsonOption())
    .examples(
      "vitrine access show hello",
      "vitrine access show hello --json",
      "vitrine access show hello --server https://pages.example.org",
    )
    .action(lazy(() => import("../access.ts"), "showAccess"));
}

function privateCommand(lazy: Lazy): Command {
  return clientCommand("private", "make a site private: only you and its readers can view it")
    .argument("<site>")
    .addOption(jsonOption())
    .examples(
      "vitrine access private hello",
      "vitrine access private hello --json",
      "vitrine access private hello --server https://pages.example.org",
    )
    .action(lazy(() => import("../access.ts"), "makePrivate"));
}

function publicCommand(lazy: Lazy): Command {
  return clientCommand("public", "make a site public")
    .argument("<site>")
    .addOption(jsonOption())
    .examples(
      "vitrine access public hello",
      "vitrine access public hello --json",
      "vitrine access public hello --server https://pages.example.org",
    )
    .action(lazy(() => import("../access.ts"), "makePublic"));
}

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's readers")
    .argument("<site>")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine readers list hello", "vitrine readers list hello --long", "vitrine readers list hello --json")
    .action(lazy(() => import("../access.ts"), "listReaders"));
}

function addCommand(lazy: Lazy): Command {
  return clientCommand("add", "add a reader")
    .argument("<site>")
    .argument("<login>")
    .addOption(jsonOption())
    .examples(
      "vitrine readers add hello grace",
      "vitrine readers add hello grace --json",
      "vitrine readers add hello grace --server https://pages.example.org",
    )
    .action(lazy(() => import("../access.ts"), "addReader"));
}

function removeCommand(lazy: Lazy): Command {
  return clientCommand("remove", "remove a reader")
    .argument("<site>")
    .argument("<login>")
    .examples(
      "vitrine readers remove hello grace",
      "vitrine readers remove hello ada",
      "vitrine readers remove hello grace --server https://pages.example.org",
    )
    .action(lazy(() => import("../access.ts"), "removeReader"));
}
