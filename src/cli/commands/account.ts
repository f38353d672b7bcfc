import type { Command } from "commander";
import { clientCommand } from "../command.ts";

const account = () => import("../account.ts");

export function accountCommands(): Command[] {
  return [
    clientCommand("login", "sign in with the browser")
      .option("--no-browser", "only print the URL to open")
      .option("--scope <SCOPE>", 'ask for less than full access: preview, "preview site:NAME" or site:NAME')
      .note(
        "The credential is saved, readable by you alone. Later commands use it, and the server that you last signed in to. With --scope the credential is limited to previews (preview) or publishing (publish) on the sites that you name or choose in the browser.",
      )
      .examples(
        "vitrine login --server https://pages.example.org",
        "vitrine login --scope 'preview site:hello'",
        "vitrine login --server https://pages.example.org --token vts_…",
      )
      .runs(account, "login"),
    clientCommand("logout", "sign out and delete the saved credential")
      .examples("vitrine logout")
      .runs(account, "logout"),
    clientCommand("whoami", "show who is signed in").jsonOption().examples("vitrine whoami").runs(account, "whoami"),
    clientCommand("passwd", "change your password and end your other sessions")
      .option("--password-stdin", "read the old and the new password from stdin, one per line")
      .examples("vitrine passwd", "vitrine passwd --password-stdin < passwords.txt")
      .runs(account, "changePassword"),
    clientCommand("limits", "show limits and rates, and what you use")
      .listOptions()
      .examples("vitrine limits")
      .runs(() => import("../limits.ts"), "showLimits"),
  ];
}
