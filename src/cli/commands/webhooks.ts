import type { Command } from "commander";
import { type CliCommand, clientCommand, group } from "../command.ts";

const webhooks = () => import("../webhooks.ts");

export function webhookCommands(): Command[] {
  return [
    group("webhooks", "manage a site's webhooks", [
      clientCommand("list <site>", "list a site's webhooks")
        .listOptions()
        .examples("vitrine webhooks list hello")
        .runs(webhooks, "listWebhooks"),
      clientCommand("add <site> <url>", "add a webhook and print its signing secret, this once")
        .option("--events <TYPES>", "event types, such as deployment.published,domain.action_needed (default: all)")
        .jsonOption()
        .examples(
          "vitrine webhooks add hello https://example.org/hook",
          "vitrine webhooks add hello https://example.org/hook --events deployment.published",
        )
        .runs(webhooks, "addWebhook"),
      ofWebhook("change", "change a webhook's URL or event types")
        .option("--url <URL>", "the new URL")
        .option("--events <TYPES>", "the new event types, or all")
        .jsonOption()
        .note("Omitted options stay unchanged.")
        .examples(
          "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --url https://example.org/new",
          "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events all",
          "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events deployment.published,site.deleted",
        )
        .runs(webhooks, "changeWebhook"),
      ofWebhook("remove", "remove a webhook")
        .examples("vitrine webhooks remove hello 5f0c1d2e3a4b5c6d7e8f")
        .runs(webhooks, "removeWebhook"),
      ofWebhook("disable", "disable a webhook")
        .jsonOption()
        .note("Deliveries that wait are listed as failed; webhooks retry delivers them again.")
        .examples("vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f")
        .runs(webhooks, "setEnabled", false),
      ofWebhook("enable", "enable a webhook")
        .jsonOption()
        .examples("vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f")
        .runs(webhooks, "setEnabled", true),
      ofWebhook("rotate", "create a new signing secret and print it; the old one stays valid for a day")
        .jsonOption()
        .examples(
          "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f",
          "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f > secret.txt",
        )
        .runs(webhooks, "rotateSecret"),
      ...deliveryCommands(),
    ]).examples(
      "vitrine webhooks add hello https://example.org/hook",
      "vitrine webhooks list hello",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f",
    ),
  ];
}

// --- internal ---

function deliveryCommands(): Command[] {
  return [
    ofWebhook("test", "send a test event and show the response")
      .jsonOption()
      .examples("vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f")
      .runs(webhooks, "sendTest"),
    ofWebhook("deliveries", "list a webhook's deliveries, newest first")
      .option("--limit <N>", "number of entries")
      .option("--before <DELIVERY>", "only deliveries before this ID")
      .listOptions()
      .examples(
        "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f",
        "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --limit 5",
        "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --before 120 --long",
      )
      .runs(webhooks, "listDeliveries"),
    ofWebhook("retry", "deliver an event again and show the response")
      .argument("<delivery>")
      .jsonOption()
      .examples("vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 118")
      .runs(webhooks, "retryDelivery"),
  ];
}

function ofWebhook(name: string, description: string): CliCommand {
  return clientCommand(`${name} <site>`, description).argument("<id>", "the webhook's ID");
}
