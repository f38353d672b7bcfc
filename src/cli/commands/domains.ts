import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function domainCommands(lazy: Lazy): Command[] {
  return [
    group("domains", "manage a site's custom domains", [
      addCommand(lazy),
      listCommand(lazy),
      checkCommand(lazy),
      retryCommand(lazy),
      cancelCommand(lazy),
      removeCommand(lazy),
    ]).examples(
      "vitrine domains add hello www.example.org",
      "vitrine domains check hello",
      "vitrine domains remove hello www.example.org",
    ),
  ];
}

// --- internal ---

function addCommand(lazy: Lazy): Command {
  return clientCommand("add", "add a custom domain and print the DNS record to set")
    .argument("<site>")
    .argument("<hostname>")
    .option("--alias <NAME>", "show this alias (default: the site's active deployment)")
    .option("--wait", "wait until the domain is connected")
    .addOption(jsonOption())
    .note("The TXT record to set goes to stdout, the further steps to stderr.")
    .examples(
      "vitrine domains add hello www.example.org",
      "vitrine domains add hello www.example.org --wait",
      "vitrine domains add hello www.example.org --json",
    )
    .action(lazy(() => import("../domains.ts"), "addDomain"));
}

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's domains")
    .argument("<site>")
    .option("--all", "also show domains that were removed or expired, as --json always does")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine domains list hello", "vitrine domains list hello --long", "vitrine domains list hello --all")
    .action(lazy(() => import("../domains.ts"), "listDomains"));
}

function checkCommand(lazy: Lazy): Command {
  return clientCommand("check", "check a domain's DNS now and explain each step")
    .argument("<site>")
    .argument("[hostname]", "the domain (default: all domains of the site)")
    .addOption(jsonOption())
    .examples(
      "vitrine domains check hello",
      "vitrine domains check hello www.example.org",
      "vitrine domains check hello --json",
    )
    .action(lazy(() => import("../domains.ts"), "checkDomains"));
}

function retryCommand(lazy: Lazy): Command {
  return clientCommand("retry", "retry switching a domain between direct and proxy mode")
    .argument("<site>")
    .argument("<hostname>")
    .addOption(jsonOption())
    .examples(
      "vitrine domains retry hello www.example.org",
      "vitrine domains retry hello www.example.org --json",
      "vitrine domains retry hello example.org",
    )
    .action(lazy(() => import("../domains.ts"), "retryTransition"));
}

function cancelCommand(lazy: Lazy): Command {
  return clientCommand("cancel", "cancel switching a domain between direct and proxy mode")
    .argument("<site>")
    .argument("<hostname>")
    .addOption(jsonOption())
    .examples(
      "vitrine domains cancel hello www.example.org",
      "vitrine domains cancel hello www.example.org --json",
      "vitrine domains cancel hello example.org",
    )
    .action(lazy(() => import("../domains.ts"), "cancelTransition"));
}

function removeCommand(lazy: Lazy): Command {
  return clientCommand("remove", "remove a custom domain")
    .argument("<site>")
    .argument("<hostname>")
    .examples(
      "vitrine domains remove hello www.example.org",
      "vitrine domains remove hello example.org",
      "vitrine domains remove hello example.org --server https://pages.example.org",
    )
    .action(lazy(() => import("../domains.ts"), "removeDomain"));
}
