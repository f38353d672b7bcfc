import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function tokenCommands(lazy: Lazy): Command[] {
  return [
    group("tokens", "manage deployment tokens, for CI", [
      createCommand(lazy),
      listCommand(lazy),
      revokeCommand(lazy),
    ]).examples(
      "vitrine tokens create hello --name CI",
      "vitrine tokens list",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01",
    ),
  ];
}

// --- internal ---

function createCommand(lazy: Lazy): Command {
  return clientCommand("create", "create a deployment token and print it, this once")
    .argument("<site>")
    .option("--name <NAME>", "name, such as what it is for")
    .option("--permission <PERMISSION>", "publish, or preview: makes previews, and cannot activate")
    .option("--expires-in <DURATION>", "refused from then on, such as 90d (default: never)")
    .addOption(jsonOption())
    .note(
      "A deployment token can deploy to its site, list its deployments and activate them, and nothing else. With --permission preview it cannot change which deployment is live.",
    )
    .examples(
      "vitrine tokens create hello",
      "vitrine tokens create hello --name CI --expires-in 90d",
      "vitrine tokens create hello --name 'pull requests' --permission preview --json",
    )
    .action(lazy(() => import("../tokens.ts"), "createToken"));
}

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list your deployment tokens")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine tokens list", "vitrine tokens list --long", "vitrine tokens list --json")
    .action(lazy(() => import("../tokens.ts"), "listTokens"));
}

function revokeCommand(lazy: Lazy): Command {
  return clientCommand("revoke", "revoke a deployment token")
    .argument("<id>")
    .examples(
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01 --token vts_…",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01 --server https://pages.example.org",
    )
    .action(lazy(() => import("../tokens.ts"), "revokeToken"));
}
