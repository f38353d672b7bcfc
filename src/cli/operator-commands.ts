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
    .description("run the appliance")
    .option("--config <FILE>", "settings file (default: vitrine.toml in the data folder)");
  for (const { flag, value, help, defaultText } of Object.values(SETTINGS)) {
    const text = `${help} (default: ${defaultText.replaceAll("`", "")})`;
    command.addOption(
      value === "on|off"
        ? new Option(`--${flag} [on|off]`, text).preset("on")
        : new Option(`--${flag} <${value}>`, text),
    );
  }
  return command.addHelpText("after", SETTINGS_HELP).action(lazy(() => import("./serve.ts")));
}

const SETTINGS_HELP = `
Each setting is also a variable (--base-url: VITRINE_BASE_URL) and a key of vitrine.toml (base-url).
Flag beats variable beats file beats default.`;

function usersCommand(lazy: Lazy): Command {
  return group("users", "people who may own sites", [
    operatorCommand("add", "add a person")
      .argument("<login>")
      .option("--name <NAME>", "the name that is shown")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .addOption(jsonOption())
      .action(lazy(() => import("./users/add.ts"))),
    operatorCommand("list", "list the people")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./users/list.ts"))),
    operatorCommand("passwd", "set a new password; ends the person's sessions")
      .argument("<login>")
      .option("--password-stdin", "read the password from stdin instead of asking")
      .action(lazy(() => import("./users/passwd.ts"))),
    operatorCommand("remove", "remove a person and their sessions")
      .argument("<login>")
      .option("--with-sites", "delete the person's sites too")
      .action(lazy(() => import("./users/remove.ts"))),
    operatorCommand("limit", "give a person limits of their own, or say which hold")
      .argument("<login>")
      .option("--sites <N>", "most sites: a number, off for no limit, default for the appliance's")
      .option("--bytes <SIZE>", "most bytes of all kept deployments, old ones too: a size, off or default")
      .addOption(jsonOption())
      .addHelpText("after", LIMIT_HELP)
      .action(lazy(() => import("./users/limit.ts"))),
    operatorCommand("freeze", "stop a person and all their sites, without removing anything")
      .argument("<login>")
      .option("--reason <TEXT>", "told to the person, never to visitors")
      .action(lazy(() => import("./users/freeze.ts"))),
    operatorCommand("unfreeze", "let a person and their sites go on")
      .argument("<login>")
      .action(lazy(() => import("./users/unfreeze.ts"))),
    operatorCommand("session", "print a fresh session token")
      .argument("<login>")
      .option("--ttl <TIME>", "how long it lives at most, such as 12h or 30d")
      .addOption(jsonOption())
      .action(lazy(() => import("./users/session.ts"))),
  ]);
}

const LIMIT_HELP = `
Bytes are those of every deployment that is kept, the active one and earlier ones, as they were uploaded: a file that two
deployments share counts twice. What is over a new limit stays; only further deployments are refused.`;

function freezeCommand(lazy: Lazy): Command {
  return operatorCommand("freeze", "stop a site, without removing anything")
    .argument("<site>")
    .option("--reason <TEXT>", "told to the site's owner, never to visitors")
    .addHelpText("after", FREEZE_HELP)
    .action(lazy(() => import("./freeze.ts")));
}

const FREEZE_HELP = `
From the next request on visitors get a plain page with status 403, on every host of the site. Its owner may look,
download and delete, and not change anything. Certificates are renewed all the same.`;

function unfreezeCommand(lazy: Lazy): Command {
  return operatorCommand("unfreeze", "let a site go on")
    .argument("<site>")
    .action(lazy(() => import("./unfreeze.ts")));
}

function verifyCommand(lazy: Lazy): Command {
  return operatorCommand("verify", "check the database and re-hash all content")
    .addOption(jsonOption())
    .action(lazy(() => import("./verify.ts")));
}

function backupCommand(lazy: Lazy): Command {
  return operatorCommand("backup", "copy everything while the server works")
    .argument("<file>", "a file, or a folder: there, only what is new is copied")
    .option("--force", "replace a file that exists")
    .addOption(jsonOption())
    .addHelpText("after", BACKUP_HELP)
    .action(lazy(() => import("./backup.ts")));
}

const BACKUP_HELP = `
  vitrine backup /backups/vitrine.tar.zst   one file; tar --zstd -tf lists it
  vitrine backup /backups/vitrine/          a folder that is brought up to date`;

function restoreCommand(lazy: Lazy): Command {
  return operatorCommand("restore", "put a backup into an empty data folder")
    .argument("<file>", "what vitrine backup made: a file or a folder")
    .option("--replace", "set aside what the data folder holds")
    .addOption(jsonOption())
    .action(lazy(() => import("./restore.ts")));
}

function doctorCommand(lazy: Lazy): Command {
  return operatorCommand("doctor", "say what keeps the server from working, and what to mend")
    .option("--health", "ask the running server for its health and look at nothing else, as container health checks do")
    .addOption(jsonOption())
    .addHelpText("after", DOCTOR_HELP)
    .action(lazy(() => import("./doctor.ts")));
}

const DOCTOR_HELP = `
Looks at data folder, disk, database, certificates, clock, server, ports, DNS and kernel, with the settings that serve
finds in variables and vitrine.toml. Exit status 1 when something is wrong; warnings leave it at 0.`;

function retentionCommand(lazy: Lazy): Command {
  return group("retention", "which deployments are kept, and for how long", [
    operatorCommand("show", "say what would be removed, and what that frees")
      .argument("[site]")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./retention/show.ts"))),
    operatorCommand("run", "remove it now instead of within the hour")
      .argument("[site]")
      .addOption(jsonOption())
      .action(lazy(() => import("./retention/run.ts"))),
    operatorCommand("set", "give a site a policy of its own")
      .argument("<site>")
      .option("--keep-last <N>", "keep the newest so many")
      .option("--keep-days <N>", "keep those made or active within so many days")
      .option("--default", "back to the appliance's policy")
      .action(lazy(() => import("./retention/set.ts"))),
    operatorCommand("pin", "keep a deployment, whatever the policy says")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention/pin.ts"))),
    operatorCommand("unpin", "leave a deployment to the policy again")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./retention/unpin.ts"))),
  ]);
}

function auditCommand(lazy: Lazy): Command {
  return operatorCommand("audit", "say who changed what, when and from where")
    .option("--site <NAME>", "only changes of this site")
    .option("--limit <N>", "so many, newest first (default: 100)")
    .addOption(longOption())
    .addOption(jsonOption())
    .action(lazy(() => import("./audit.ts")));
}
