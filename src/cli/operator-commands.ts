import { Command, Option } from "commander";
import { SETTINGS } from "../config/settings.ts";
import { group, jsonOption, type Lazy, longOption, operatorCommand } from "./verb.ts";

/** Returns the commands that work on the data folder. */
export function operatorCommands(lazy: Lazy): Command[] {
  return [
    serveCommand(lazy),
    usersCommand(lazy),
    freezeCommand(lazy),
    unfreezeCommand(lazy),
    backupCommand(lazy),
    restoreCommand(lazy),
    verifyCommand(lazy),
    retentionCommand(lazy),
    auditCommand(lazy),
    doctorCommand(lazy),
  ];
}

function serveCommand(lazy: Lazy): Command {
  const command = new Command("serve")
    .description("run the server")
    .option("--config <FILE>", "settings file (default: vitrine.toml in the data folder)");
  for (const { flag, value, help, defaultText } of Object.values(SETTINGS)) {
    const text = `${help} (default: ${defaultText})`.replaceAll("`", "");
    command.addOption(
      value === "on|off"
        ? new Option(`--${flag} [on|off]`, text).preset("on")
        : new Option(`--${flag} <${value}>`, text),
    );
  }
  return command.action(lazy(() => import("./serve.ts")));
}

function usersCommand(lazy: Lazy): Command {
  return group("users", "manage users", [
    operatorCommand("add", "add a user")
      .argument("<login>")
      .option("--name <NAME>", "display name")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .addOption(jsonOption())
      .action(lazy(() => import("./users/add.ts"))),
    operatorCommand("list", "list users and what they use")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./users/list.ts"))),
    operatorCommand("passwd", "set a user's password and end their sessions")
      .argument("<login>")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .action(lazy(() => import("./users/passwd.ts"))),
    operatorCommand("remove", "remove a user and end their sessions")
      .argument("<login>")
      .option("--with-sites", "also delete the user's sites")
      .action(lazy(() => import("./users/remove.ts"))),
    operatorCommand("limit", "show or set a user's limits")
      .argument("<login>")
      .option("--sites <N>", "maximum number of sites; off for no limit, default for the server's setting")
      .option("--bytes <SIZE>", "maximum size of all kept deployments together; off or default")
      .addOption(jsonOption())
      .action(lazy(() => import("./users/limit.ts"))),
    operatorCommand("freeze", "freeze a user and all their sites")
      .argument("<login>")
      .option("--reason <TEXT>", "reason, shown to the user and never to visitors")
      .action(lazy(() => import("./users/freeze.ts"))),
    operatorCommand("unfreeze", "unfreeze a user and their sites")
      .argument("<login>")
      .action(lazy(() => import("./users/unfreeze.ts"))),
    operatorCommand("operator", "make a user an operator, who has the console, or end that")
      .argument("<login>")
      .argument("<on|off>")
      .action(lazy(() => import("./users/operator.ts"))),
    operatorCommand("session", "create a session for a user and print its token")
      .argument("<login>")
      .option("--ttl <TIME>", "maximum lifetime, such as 12h or 30d (default: 30 days after the last use)")
      .addOption(jsonOption())
      .action(lazy(() => import("./users/session.ts"))),
  ]);
}

function freezeCommand(lazy: Lazy): Command {
  return operatorCommand("freeze", "freeze a site")
    .argument("<site>")
    .option("--reason <TEXT>", "reason, shown to the site's owner and never to visitors")
    .action(lazy(() => import("./freeze.ts")));
}

function unfreezeCommand(lazy: Lazy): Command {
  return operatorCommand("unfreeze", "unfreeze a site")
    .argument("<site>")
    .action(lazy(() => import("./unfreeze.ts")));
}

function verifyCommand(lazy: Lazy): Command {
  return operatorCommand("verify", "check the database and the hash of every stored file")
    .addOption(jsonOption())
    .action(lazy(() => import("./verify.ts")));
}

function backupCommand(lazy: Lazy): Command {
  return operatorCommand("backup", "back up everything, also while the server runs")
    .argument("<file>", "a file, or a folder, to which only new content is copied")
    .option("--force", "replace an existing file")
    .addOption(jsonOption())
    .action(lazy(() => import("./backup.ts")));
}

function restoreCommand(lazy: Lazy): Command {
  return operatorCommand("restore", "restore a backup into an empty data folder")
    .argument("<file>", "a backup: a file or a folder")
    .option("--replace", "move what the data folder holds aside first")
    .addOption(jsonOption())
    .action(lazy(() => import("./restore.ts")));
}

function doctorCommand(lazy: Lazy): Command {
  return operatorCommand("doctor", "find problems with the server and its settings")
    .option("--health", "only check the health of the running server, as container health checks do")
    .addOption(jsonOption())
    .action(lazy(() => import("./doctor.ts")));
}

function retentionCommand(lazy: Lazy): Command {
  return group("retention", "manage which deployments are kept", [
    operatorCommand("show", "show the retention policy and what it would delete")
      .argument("[site]")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./retention/show.ts"))),
    operatorCommand("run", "delete now what the policy does not keep, instead of within the hour")
      .argument("[site]")
      .addOption(jsonOption())
      .action(lazy(() => import("./retention/run.ts"))),
    operatorCommand("set", "set a site's retention policy")
      .argument("<site>")
      .option("--keep-last <N>", "keep the newest N deployments")
      .option("--keep-days <N>", "keep deployments created or active within the last N days")
      .option("--default", "use the server's policy")
      .action(lazy(() => import("./retention/set.ts"))),
    operatorCommand("pin", "pin a deployment: no policy deletes it")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention/pin.ts"))),
    operatorCommand("unpin", "unpin a deployment: the policy applies again")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention/unpin.ts"))),
  ]);
}

function auditCommand(lazy: Lazy): Command {
  return operatorCommand("audit", "show who changed what, when and from where")
    .option("--site <NAME>", "only changes to this site")
    .option("--limit <N>", "number of entries, newest first (default: 100)")
    .addOption(longOption())
    .addOption(jsonOption())
    .action(lazy(() => import("./audit.ts")));
}
