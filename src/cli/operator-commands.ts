import { Command, Option } from "commander";
import { SETTINGS } from "../config/settings.ts";
import { group, jsonOption, type Lazy, longOption, operatorCommand } from "./command.ts";

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
  return command.action(lazy(() => import("./serve.ts"), "runServer"));
}

function usersCommand(lazy: Lazy): Command {
  return group("users", "manage users", [
    operatorCommand("add", "add a user")
      .argument("<login>")
      .option("--name <NAME>", "display name")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .addOption(jsonOption())
      .action(lazy(() => import("./users.ts"), "addUser")),
    operatorCommand("list", "list users and what they use")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./users.ts"), "listUsers")),
    operatorCommand("passwd", "set a user's password and end their sessions")
      .argument("<login>")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .action(lazy(() => import("./users.ts"), "setPassword")),
    operatorCommand("remove", "remove a user and end their sessions")
      .argument("<login>")
      .option("--with-sites", "also delete the user's sites")
      .action(lazy(() => import("./users.ts"), "removeUser")),
    operatorCommand("limit", "show or set a user's limits")
      .argument("<login>")
      .option("--sites <N>", "maximum number of sites; off for no limit, default for the server's setting")
      .option("--bytes <SIZE>", "maximum size of all kept deployments together; off or default")
      .addOption(jsonOption())
      .action(lazy(() => import("./users.ts"), "limitUser")),
    operatorCommand("freeze", "freeze a user and all their sites")
      .argument("<login>")
      .option("--reason <TEXT>", "reason, shown to the user and never to visitors")
      .action(lazy(() => import("./freeze.ts"), "freezeUser")),
    operatorCommand("unfreeze", "unfreeze a user and their sites")
      .argument("<login>")
      .action(lazy(() => import("./freeze.ts"), "unfreezeUser")),
    operatorCommand("operator", "make a user an operator, who has the console, or end that")
      .argument("<login>")
      .argument("<on|off>")
      .action(lazy(() => import("./users.ts"), "setOperator")),
    operatorCommand("session", "create a session for a user and print its token")
      .argument("<login>")
      .option("--ttl <TIME>", "maximum lifetime, such as 12h or 30d (default: 30 days after the last use)")
      .addOption(jsonOption())
      .action(lazy(() => import("./users.ts"), "createSession")),
  ]);
}

function freezeCommand(lazy: Lazy): Command {
  return operatorCommand("freeze", "freeze a site")
    .argument("<site>")
    .option("--reason <TEXT>", "reason, shown to the site's owner and never to visitors")
    .action(lazy(() => import("./freeze.ts"), "freezeSite"));
}

function unfreezeCommand(lazy: Lazy): Command {
  return operatorCommand("unfreeze", "unfreeze a site")
    .argument("<site>")
    .action(lazy(() => import("./freeze.ts"), "unfreezeSite"));
}

function verifyCommand(lazy: Lazy): Command {
  return operatorCommand("verify", "check the database and the hash of every stored file")
    .addOption(jsonOption())
    .action(lazy(() => import("./verify.ts"), "verify"));
}

function backupCommand(lazy: Lazy): Command {
  return operatorCommand("backup", "back up everything, also while the server runs")
    .argument("<file>", "a file, or a folder, to which only new content is copied")
    .option("--force", "replace an existing file")
    .addOption(jsonOption())
    .action(lazy(() => import("./backup.ts"), "backUp"));
}

function restoreCommand(lazy: Lazy): Command {
  return operatorCommand("restore", "restore a backup into an empty data folder")
    .argument("<backup>", "a file, a folder, or an s3:// address; #ID names one of several")
    .option("--replace", "move what the data folder holds aside first")
    .addOption(jsonOption())
    .action(lazy(() => import("./restore.ts"), "restore"));
}

function doctorCommand(lazy: Lazy): Command {
  return operatorCommand("doctor", "find problems with the server and its settings")
    .option("--health", "only check the health of the running server, as container health checks do")
    .addOption(jsonOption())
    .action(lazy(() => import("./doctor.ts"), "doctor"));
}

function retentionCommand(lazy: Lazy): Command {
  return group("retention", "manage which deployments are kept", [
    operatorCommand("show", "show the retention policy and what it would delete")
      .argument("[site]")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./retention.ts"), "showRetention")),
    operatorCommand("run", "delete now what the policy does not keep, instead of within the hour")
      .argument("[site]")
      .addOption(jsonOption())
      .action(lazy(() => import("./retention.ts"), "runRetention")),
    operatorCommand("set", "set a site's retention policy")
      .argument("<site>")
      .option("--keep-last <N>", "keep the newest N deployments")
      .option("--keep-days <N>", "keep deployments created or active within the last N days")
      .option("--default", "use the server's policy")
      .action(lazy(() => import("./retention.ts"), "setRetention")),
    operatorCommand("pin", "pin a deployment: no policy deletes it")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention.ts"), "pinDeployment")),
    operatorCommand("unpin", "unpin a deployment: the policy applies again")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention.ts"), "unpinDeployment")),
  ]);
}

function auditCommand(lazy: Lazy): Command {
  return operatorCommand("audit", "show who changed what, when and from where")
    .option("--site <NAME>", "only changes to this site")
    .option("--limit <N>", "number of entries, newest first (default: 100)")
    .addOption(longOption())
    .addOption(jsonOption())
    .action(lazy(() => import("./audit.ts"), "listAudit"));
}
