import type { Command } from "commander";
import { group, jsonOption, type Lazy, longOption, operatorCommand } from "../command.ts";

export function userCommands(lazy: Lazy): Command[] {
  return [
    group("users", "manage users", [
      addCommand(lazy),
      listCommand(lazy),
      passwdCommand(lazy),
      removeCommand(lazy),
      limitCommand(lazy),
      freezeCommand(lazy),
      unfreezeCommand(lazy),
      setOperatorCommand(lazy),
      sessionCommand(lazy),
    ]).examples("vitrine users add ada --name 'Ada Lovelace'", "vitrine users list", "vitrine users passwd ada"),
  ];
}

// --- internal ---

function addCommand(lazy: Lazy): Command {
  return operatorCommand("add", "add a user")
    .argument("<login>")
    .option("--name <NAME>", "display name")
    .option("--password-stdin", "read the password from stdin instead of asking")
    .addOption(jsonOption())
    .note(
      "On a terminal, the command asks for a password. Without one and without --password-stdin, the user has no password until users passwd sets one.",
    )
    .examples(
      "vitrine users add ada",
      "vitrine users add ada --name 'Ada Lovelace'",
      "vitrine users add ada --password-stdin < password.txt",
    )
    .action(lazy(() => import("../users.ts"), "addUser"));
}

function listCommand(lazy: Lazy): Command {
  return operatorCommand("list", "list users and what they use")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine users list", "vitrine users list --long", "vitrine users list --json")
    .action(lazy(() => import("../users.ts"), "listUsers"));
}

function passwdCommand(lazy: Lazy): Command {
  return operatorCommand("passwd", "set a user's password and end their sessions")
    .argument("<login>")
    .option("--password-stdin", "read the password from stdin instead of asking")
    .examples(
      "vitrine users passwd ada",
      "vitrine users passwd ada --password-stdin < password.txt",
      "vitrine users passwd ada --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../users.ts"), "setPassword"));
}

function removeCommand(lazy: Lazy): Command {
  return operatorCommand("remove", "remove a user and end their sessions")
    .argument("<login>")
    .option("--with-sites", "also delete the user's sites")
    .note("A user who owns sites is only removed together with them, by --with-sites.")
    .examples(
      "vitrine users remove ada",
      "vitrine users remove ada --with-sites",
      "vitrine users remove ada --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../users.ts"), "removeUser"));
}

function limitCommand(lazy: Lazy): Command {
  return operatorCommand("limit", "show or set a user's limits")
    .argument("<login>")
    .option("--sites <N>", "maximum number of sites; off for no limit, default for the server's setting")
    .option("--bytes <SIZE>", "maximum size of all kept deployments together; off or default")
    .addOption(jsonOption())
    .note(
      "The size counts every kept deployment as it was uploaded: a file in two deployments counts twice. Nothing is deleted when a user is over a new limit; only further deployments are refused.",
    )
    .examples(
      "vitrine users limit ada",
      "vitrine users limit ada --sites 50 --bytes 20GiB",
      "vitrine users limit ada --sites off --bytes default",
    )
    .action(lazy(() => import("../users.ts"), "limitUser"));
}

function freezeCommand(lazy: Lazy): Command {
  return operatorCommand("freeze", "freeze a user and all their sites")
    .argument("<login>")
    .option("--reason <TEXT>", "reason, shown to the user and never to visitors")
    .note("A frozen user cannot sign in, and their sites are frozen too. Nothing is deleted.")
    .examples(
      "vitrine users freeze ada",
      "vitrine users freeze ada --reason 'invoice 4711'",
      "vitrine users freeze ada --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../freeze.ts"), "freezeUser"));
}

function unfreezeCommand(lazy: Lazy): Command {
  return operatorCommand("unfreeze", "unfreeze a user and their sites")
    .argument("<login>")
    .note("Sites that were frozen by themselves stay frozen.")
    .examples(
      "vitrine users unfreeze ada",
      "vitrine users unfreeze ada --data-dir /srv/vitrine",
      "vitrine users unfreeze ada --config /etc/vitrine/vitrine.toml",
    )
    .action(lazy(() => import("../freeze.ts"), "unfreezeUser"));
}

function setOperatorCommand(lazy: Lazy): Command {
  return operatorCommand("operator", "make a user an operator, who has the console, or end that")
    .argument("<login>")
    .argument("<on|off>")
    .note("Operators have the console at /admin in the dashboard, and the API below /admin.")
    .examples(
      "vitrine users operator ada on",
      "vitrine users operator ada off",
      "vitrine users operator ada on --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../users.ts"), "setOperator"));
}

function sessionCommand(lazy: Lazy): Command {
  return operatorCommand("session", "create a session for a user and print its token")
    .argument("<login>")
    .option("--ttl <TIME>", "maximum lifetime, such as 12h or 30d (default: 30 days after the last use)")
    .addOption(jsonOption())
    .note("The token signs in as the user. It goes to stdout, everything else to stderr.")
    .examples(
      "vitrine users session ada",
      "vitrine users session ada --ttl 12h",
      "vitrine deploy dist --token $(vitrine users session ada)",
    )
    .action(lazy(() => import("../users.ts"), "createSession"));
}
