import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const shares = () => import("../shares.ts");

export function shareCommands(): Command[] {
  return [
    group("shares", "open a private site to people without an account", [
      clientCommand("create <site>", "create a link, a password or a token, and print it, this once")
        .option("--label <TEXT>", "for whom it is; shown in the list")
        .option("--alias <ALIAS>", "only this alias (default: the live site)")
        .option("--deployment <NUMBER>", "only this deployment")
        .option("--expires-in <DURATION>", "from 1s to 365d (default: 30d)")
        .option("--password", "ask for a password, which visitors then enter")
        .option("--password-stdin", "read that password from stdin")
        .option("--automation", "make a bearer token for tests and scripts")
        .jsonOption()
        .note(
          "Without --alias and --deployment, the share opens the live site. Without --password and --automation, it is a link.",
        )
        .examples(
          "vitrine shares create hello --label 'The client' --expires-in 14d",
          "vitrine shares create hello --alias pr-12 --password",
          "vitrine shares create hello --automation --json",
        )
        .runs(shares, "createShare"),
      clientCommand("list <site>", "list a site's shares")
        .listOptions()
        .examples("vitrine shares list hello")
        .runs(shares, "listShares"),
      clientCommand("revoke <site> <id>", "revoke a share; effective with the next request")
        .examples("vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f")
        .runs(shares, "revokeShare"),
    ]).examples(
      "vitrine shares create hello --label 'The client'",
      "vitrine shares list hello",
      "vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f",
    ),
  ];
}
