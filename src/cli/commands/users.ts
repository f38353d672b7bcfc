import { type Command, Option } from "commander";
import { MEMBER_ROLES } from "../../domain/model/role.ts";
import { group, operatorCommand } from "../command.ts";

const users = () => import("../users.ts");
const freeze = () => import("../freeze.ts");
const invite = () => import("../invite.ts");

export function userCommands(): Command[] {
  return [
    group("users", "manage users", [
      operatorCommand("add <login>", "add a user")
        .option("--name <NAME>", "display name")
        .option("--password-stdin", "read the password from stdin instead of asking")
        .jsonOption()
        .note(
          "On a terminal, the command asks for a password. Without one and without --password-stdin, the user has no password until users passwd sets one.",
        )
        .examples(
          "vitrine users add ada",
          "vitrine users add ada --name 'Ada Lovelace'",
          "vitrine users add ada --password-stdin < password.txt",
        )
        .runs(users, "addUser"),
      operatorCommand("invite <login>", "create a link with which somebody creates their account")
        .option("--name <NAME>", "display name, which they can change")
        .option("--site <SITE>", "site of which they become a member")
        .addOption(new Option("--role <ROLE>", "their role on that site (default: deployer)").choices(MEMBER_ROLES))
        .jsonOption()
        .note(
          "The link works once, within 7 days, and goes to stdout. Inviting the same login again ends the link before. Only for accounts of this server; with GitHub and OpenID Connect, people sign in there.",
        )
        .examples(
          "vitrine users invite grace",
          "vitrine users invite grace --site hello --role maintainer",
          "vitrine users invite grace --name 'Grace Hopper' --json",
        )
        .runs(invite, "inviteUser"),
      operatorCommand("list", "list users and what they use")
        .listOptions()
        .examples("vitrine users list")
        .runs(users, "listUsers"),
      operatorCommand("passwd <login>", "set a user's password and end their sessions")
        .option("--password-stdin", "read the password from stdin instead of asking")
        .examples("vitrine users passwd ada", "vitrine users passwd ada --password-stdin < password.txt")
        .runs(users, "setPassword"),
      operatorCommand("remove <login>", "remove a user and end their sessions")
        .option("--with-sites", "also delete the user's sites")
        .note("A user who owns sites is only removed together with them, by --with-sites.")
        .examples("vitrine users remove ada", "vitrine users remove ada --with-sites")
        .runs(users, "removeUser"),
      ...permissionCommands(),
    ]).examples("vitrine users add ada --name 'Ada Lovelace'", "vitrine users list", "vitrine users passwd ada"),
  ];
}

// --- internal ---

function permissionCommands(): Command[] {
  return [
    operatorCommand("limit <login>", "show or set a user's limits")
      .option("--sites <N>", "maximum number of sites; off for no limit, default for the server's setting")
      .option("--bytes <SIZE>", "maximum size of all kept deployments together; off or default")
      .jsonOption()
      .note(
        "The size counts every kept deployment as it was uploaded: a file in two deployments counts twice. Nothing is deleted when a user is over a new limit; only further deployments are refused.",
      )
      .examples(
        "vitrine users limit ada",
        "vitrine users limit ada --sites 50 --bytes 20GiB",
        "vitrine users limit ada --sites off --bytes default",
      )
      .runs(users, "limitUser"),
    operatorCommand("freeze <login>", "freeze a user and all their sites")
      .option("--reason <TEXT>", "reason, shown to the user and never to visitors")
      .note("A frozen user cannot sign in, and their sites are frozen too. Nothing is deleted.")
      .examples("vitrine users freeze ada", "vitrine users freeze ada --reason 'invoice 4711'")
      .runs(freeze, "freezeUser"),
    operatorCommand("unfreeze <login>", "unfreeze a user and their sites")
      .note("Sites that were frozen by themselves stay frozen.")
      .examples("vitrine users unfreeze ada")
      .runs(freeze, "unfreezeUser"),
    operatorCommand("operator <login> <on|off>", "make a user an operator, who has the console, or end that")
      .note("Operators have the console at /admin in the dashboard, and the API below /admin.")
      .examples("vitrine users operator ada on", "vitrine users operator ada off")
      .runs(users, "setOperator"),
    operatorCommand("session <login>", "create a session for a user and print its token")
      .option("--ttl <TIME>", "maximum lifetime, such as 12h or 30d (default: 30 days after the last use)")
      .jsonOption()
      .note("The token signs in as the user. It goes to stdout, everything else to stderr.")
      .examples(
        "vitrine users session ada",
        "vitrine users session ada --ttl 12h",
        "vitrine deploy dist --token $(vitrine users session ada)",
      )
      .runs(users, "createSession"),
  ];
}
