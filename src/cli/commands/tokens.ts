import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const tokens = () => import("../tokens.ts");

export function tokenCommands(): Command[] {
  return [
    group("tokens", "manage deployment tokens, for CI", [
      clientCommand("create <site>", "create a deployment token and print it, this once")
        .option("--name <NAME>", "name, such as what it is for")
        .option("--permission <PERMISSION>", "publish, or preview: makes previews, and cannot activate")
        .option("--expires-in <DURATION>", "refused from then on, such as 90d (default: never)")
        .jsonOption()
        .note(
          "A deployment token can deploy to its site, list its deployments and activate them, and nothing else. With --permission preview it cannot change which deployment is live.",
        )
        .examples(
          "vitrine tokens create hello",
          "vitrine tokens create hello --name CI --expires-in 90d",
          "vitrine tokens create hello --name 'pull requests' --permission preview --json",
        )
        .runs(tokens, "createToken"),
      clientCommand("list [site]", "list your deployment tokens, of one site or of all")
        .listOptions()
        .examples("vitrine tokens list", "vitrine tokens list hello")
        .runs(tokens, "listTokens"),
      clientCommand("revoke <id>", "revoke a deployment token")
        .examples("vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01")
        .runs(tokens, "revokeToken"),
    ]).examples(
      "vitrine tokens create hello --name CI",
      "vitrine tokens list",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01",
    ),
  ];
}
