import type { Command } from "commander";
import { type CliCommand, clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function webhookCommands(lazy: Lazy): Command[] {
  return [
    group("webhooks", "manage a site's webhooks", [
      listCommand(lazy),
      addCommand(lazy),
      changeCommand(lazy),
      removeCommand(lazy),
      disableCommand(lazy),
      enableCommand(lazy),
      rotateCommand(lazy),
      testCommand(lazy),
      deliveriesCommand(lazy),
      retryCommand(lazy),
    ]).examples(
      "vitrine webhooks add hello https://example.org/hook",
      "vitrine webhooks list hello",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f",
    ),
  ];
}

// --- internal ---

function ofWebhook(name: string, description: string): CliCommand {
  return clientCommand(name, description).argument("<site>").argument("<id>", "the webhook's ID");
}

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's webhooks")
    .argument("<site>")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine webhooks list hello", "vitrine webhooks list hello --long", "vitrine webhooks list hello --json")
    .action(lazy(() => import("../webhooks.ts"), "listWebhooks"));
}

function addCommand(lazy: Lazy): Command {
  return clientCommand("add", "add a webhook and print its signing secret, this once")
    .argument("<site>")
    .argument("<url>")
    .option("--events <TYPES>", "event types, such as deployment.published,domain.action_needed (default: all)")
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks add hello https://example.org/hook",
      "vitrine webhooks add hello https://example.org/hook --json",
      "vitrine webhooks add hello https://example.org/hook --events deployment.published",
    )
    .action(lazy(() => import("../webhooks.ts"), "addWebhook"));
}

function changeCommand(lazy: Lazy): Command {
  return ofWebhook("change", "change a webhook's URL or event types")
    .option("--url <URL>", "the new URL")
    .option("--events <TYPES>", "the new event types, or all")
    .addOption(jsonOption())
    .note("Omitted options stay unchanged.")
    .examples(
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --url https://example.org/new",
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events all",
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events deployment.published,site.deleted",
    )
    .action(lazy(() => import("../webhooks.ts"), "changeWebhook"));
}

function removeCommand(lazy: Lazy): Command {
  return ofWebhook("remove", "remove a webhook")
    .examples(
      "vitrine webhooks remove hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks remove hello 9d2c4b1e7f0a48c6b5d3",
      "vitrine webhooks remove hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    )
    .action(lazy(() => import("../webhooks.ts"), "removeWebhook"));
}

function disableCommand(lazy: Lazy): Command {
  return ofWebhook("disable", "disable a webhook")
    .addOption(jsonOption())
    .note("Deliveries that wait are listed as failed; webhooks retry delivers them again.")
    .examples(
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    )
    .action(lazy(() => import("../webhooks.ts"), "disableWebhook"));
}

function enableCommand(lazy: Lazy): Command {
  return ofWebhook("enable", "enable a webhook")
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    )
    .action(lazy(() => import("../webhooks.ts"), "enableWebhook"));
}

function rotateCommand(lazy: Lazy): Command {
  return ofWebhook("rotate", "create a new signing secret and print it; the old one stays valid for a day")
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f > secret.txt",
    )
    .action(lazy(() => import("../webhooks.ts"), "rotateSecret"));
}

function testCommand(lazy: Lazy): Command {
  return ofWebhook("test", "send a test event and show the response")
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    )
    .action(lazy(() => import("../webhooks.ts"), "sendTest"));
}

function deliveriesCommand(lazy: Lazy): Command {
  return ofWebhook("deliveries", "list a webhook's deliveries, newest first")
    .option("--limit <N>", "number of entries")
    .option("--before <DELIVERY>", "only deliveries before this ID")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --limit 5",
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --before 120 --long",
    )
    .action(lazy(() => import("../webhooks.ts"), "listDeliveries"));
}

function retryCommand(lazy: Lazy): Command {
  return ofWebhook("retry", "deliver an event again and show the response")
    .argument("<delivery>")
    .addOption(jsonOption())
    .examples(
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 118",
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 118 --json",
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 120",
    )
    .action(lazy(() => import("../webhooks.ts"), "retryDelivery"));
}
