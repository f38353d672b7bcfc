import type { Command } from "commander";
import { clientCommand, jsonOption, type Lazy, longOption } from "../command.ts";

export function accountCommands(lazy: Lazy): Command[] {
  return [loginCommand(lazy), logoutCommand(lazy), whoamiCommand(lazy), passwdCommand(lazy), limitsCommand(lazy)];
}

// --- internal ---

function loginCommand(lazy: Lazy): Command {
  return clientCommand("login", "sign in with the browser")
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
    .action(lazy(() => import("../account.ts"), "login"));
}

function logoutCommand(lazy: Lazy): Command {
  return clientCommand("logout", "sign out and delete the saved credential")
    .examples("vitrine logout", "vitrine logout --server https://pages.example.org", "vitrine logout --token vts_…")
    .action(lazy(() => import("../account.ts"), "logout"));
}

function whoamiCommand(lazy: Lazy): Command {
  return clientCommand("whoami", "show who is signed in")
    .addOption(jsonOption())
    .examples("vitrine whoami", "vitrine whoami --server https://pages.example.org", "vitrine whoami --json")
    .action(lazy(() => import("../account.ts"), "whoami"));
}

function passwdCommand(lazy: Lazy): Command {
  return clientCommand("passwd", "change your password and end your other sessions")
    .option("--password-stdin", "read the old and the new password from stdin, one per line")
    .examples(
      "vitrine passwd",
      "vitrine passwd --password-stdin < passwords.txt",
      "vitrine passwd --server https://pages.example.org",
    )
    .action(lazy(() => import("../account.ts"), "changePassword"));
}

function limitsCommand(lazy: Lazy): Command {
  return clientCommand("limits", "show the server's limits and rates, and your own usage")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine limits", "vitrine limits --long", "vitrine limits --json")
    .action(lazy(() => import("../limits.ts"), "showLimits"));
}
