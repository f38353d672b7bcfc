import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "./verb.ts";

/** Returns the commands that talk to an appliance over its API. */
export function peopleCommands(lazy: Lazy): Command[] {
  return [
    ...accountCommands(lazy),
    deployCommand(lazy),
    openCommand(lazy),
    sitesCommand(lazy),
    deploymentsCommand(lazy),
    accessCommand(lazy),
    readersCommand(lazy),
    domainsCommand(lazy),
    tokensCommand(lazy),
    webhooksCommand(lazy),
    activityCommand(lazy),
    explainCommand(lazy),
  ];
}

function accountCommands(lazy: Lazy): Command[] {
  return [
    clientCommand("login", "sign in with the browser")
      .option("--no-browser", "only print the address to open")
      .action(lazy(() => import("./login.ts"))),
    clientCommand("logout", "sign out and forget the credential").action(lazy(() => import("./logout.ts"))),
    clientCommand("whoami", "print who is signed in")
      .addOption(jsonOption())
      .action(lazy(() => import("./whoami.ts"))),
    clientCommand("passwd", "change your password, which ends your other sessions")
      .option("--password-stdin", "read the old and the new password from stdin, a line each")
      .action(lazy(() => import("./passwd.ts"))),
    clientCommand("limits", "print every limit and rate in force, and what you have of yours")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./limits.ts"))),
  ];
}

function deployCommand(lazy: Lazy): Command {
  return clientCommand("deploy", "publish a folder, a ZIP or one file")
    .argument("<path>", "a folder, a .zip, or one file")
    .option("--site <NAME>", "the site to deploy to (default: the one this path went to last; else a new one)")
    .option("--private", "publish and protect in one step; needs --site NAME, or asks, where the site is public")
    .option("--message <TEXT>", "why this is deployed, shown in the history")
    .option("--commit <ID>", "the commit that is deployed (default: the one that CI names)")
    .option("--ref <NAME>", "the branch or tag that is deployed (default: the one that CI names)")
    .option("--force", "make a deployment also where all files are those of the active one")
    .addOption(jsonOption())
    .addHelpText("after", DEPLOY_HELP)
    .action(lazy(() => import("./deploy.ts")));
}

const DEPLOY_HELP = `
The site is remembered in vitrine.json. A .vitrineignore file (gitignore syntax) in the folder leaves files out.
The address goes to stdout, everything else to stderr.`;

function openCommand(lazy: Lazy): Command {
  return clientCommand("open", "open a site in the browser, and print its URL")
    .argument("[site]", "the site (default: the one that vitrine.json in the working folder remembers)")
    .option("--no-browser", "only print the URL")
    .action(lazy(() => import("./open.ts")));
}

function sitesCommand(lazy: Lazy): Command {
  return group("sites", "your sites", [
    clientCommand("list", "list your sites")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./sites/list.ts"))),
    clientCommand("delete", "delete a site with all its deployments")
      .argument("<name>")
      .option("-y, --yes", "do not ask")
      .action(lazy(() => import("./sites/delete.ts"))),
  ]);
}

function deploymentsCommand(lazy: Lazy): Command {
  return group("deployments", "a site's deployments", [
    clientCommand("list", "list a site's deployments, newest first")
      .argument("<site>")
      .option("--limit <N>", "how many")
      .option("--before <NUMBER>", "only those before this deployment")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments/list.ts"))),
    clientCommand("activate", "make a deployment the one that visitors see")
      .argument("<site>")
      .argument("<number>")
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments/activate.ts"))),
    clientCommand("download", "save a deployment as a ZIP")
      .argument("<site>")
      .argument("<number>")
      .argument("<file>", "where to; - is stdout")
      .action(lazy(() => import("./deployments/download.ts"))),
    clientCommand("keep", "say which deployments stay; others are removed within the hour")
      .argument("<site>")
      .option("--keep-last <N>", "keep the newest so many")
      .option("--keep-days <N>", "keep those made or active within so many days")
      .option("--default", "back to the appliance's policy")
      .option("--dry-run", "only say what that would remove")
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments/keep.ts"))),
    clientCommand("pin", "keep a deployment, whatever the policy says")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./deployments/pin.ts"))),
    clientCommand("unpin", "leave a deployment to the policy again")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./deployments/unpin.ts"))),
  ]);
}

function accessCommand(lazy: Lazy): Command {
  return group("access", "who may see a site", [
    clientCommand("show", "print public or private")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access/show.ts"))),
    clientCommand("private", "let only you and the site's readers in")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access/private.ts"))),
    clientCommand("public", "let everyone in")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access/public.ts"))),
  ]);
}

function readersCommand(lazy: Lazy): Command {
  return group("readers", "people who may read a private site", [
    clientCommand("list", "list the readers")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./readers/list.ts"))),
    clientCommand("add", "let a person in")
      .argument("<site>")
      .argument("<login>")
      .addOption(jsonOption())
      .action(lazy(() => import("./readers/add.ts"))),
    clientCommand("remove", "let a person in no more")
      .argument("<site>")
      .argument("<login>")
      .action(lazy(() => import("./readers/remove.ts"))),
  ]);
}

function domainsCommand(lazy: Lazy): Command {
  return group("domains", "a site's custom domains", [
    clientCommand("add", "claim a hostname; prints the DNS record to set")
      .argument("<site>")
      .argument("<hostname>")
      .option("--wait", "wait until the domain is connected")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains/add.ts"))),
    clientCommand("list", "list a site's domains")
      .argument("<site>")
      .option("--all", "also those that ended, as --json always has")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./domains/list.ts"))),
    clientCommand("check", "look at DNS now and explain each step")
      .argument("<site>")
      .argument("[hostname]", "all of the site's where none is named")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains/check.ts"))),
    clientCommand("retry", "try a domain's move between direct and proxy mode again")
      .argument("<site>")
      .argument("<hostname>")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains/retry.ts"))),
    clientCommand("cancel", "give up a domain's move between direct and proxy mode")
      .argument("<site>")
      .argument("<hostname>")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains/cancel.ts"))),
    clientCommand("remove", "give a hostname up")
      .argument("<site>")
      .argument("<hostname>")
      .action(lazy(() => import("./domains/remove.ts"))),
  ]);
}

function tokensCommand(lazy: Lazy): Command {
  return group("tokens", "credentials for automated deployment", [
    clientCommand("create", "print a new deployment token; it is shown this once")
      .argument("<site>")
      .option("--name <NAME>", "what it is for")
      .addOption(jsonOption())
      .action(lazy(() => import("./tokens/create.ts"))),
    clientCommand("list", "list your deployment tokens")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./tokens/list.ts"))),
    clientCommand("revoke", "end a deployment token")
      .argument("<id>")
      .action(lazy(() => import("./tokens/revoke.ts"))),
  ]);
}

function activityCommand(lazy: Lazy): Command {
  return clientCommand("activity", "say what was changed of your sites, by whom and from where")
    .argument("[site]", "only of this site (default: of all, and what else you changed)")
    .option("--limit <N>", "how many, newest first")
    .option("--before <ID>", "only those before this entry")
    .addOption(longOption())
    .addOption(jsonOption())
    .action(lazy(() => import("./activity.ts")));
}

function explainCommand(lazy: Lazy): Command {
  return clientCommand("explain", "say what visitors of an address get, and why")
    .argument("<site>")
    .argument("<address>", "a path with its query, or a whole address of the site")
    .option("--deployment <N>", "as this deployment answers (default: as visitors see)")
    .addOption(jsonOption())
    .action(lazy(() => import("./explain.ts")));
}

function webhooksCommand(lazy: Lazy): Command {
  const ofWebhook = (name: string, description: string) =>
    clientCommand(name, description).argument("<site>").argument("<id>", "as the list shows it");
  return group("webhooks", "addresses that hear what happens to a site", [
    clientCommand("list", "list a site's webhooks")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/list.ts"))),
    clientCommand("add", "have an address told; prints the secret that signs, this once")
      .argument("<site>")
      .argument("<url>")
      .option("--events <TYPES>", "what to hear of, such as deployment.published,domain.action_needed (default: all)")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/add.ts"))),
    ofWebhook("change", "have another address told, or tell of other events; what is not named stays")
      .option("--url <URL>", "the new address")
      .option("--events <TYPES>", "what to hear of from now on, or all")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/change.ts"))),
    ofWebhook("remove", "tell an address nothing more").action(lazy(() => import("./webhooks/remove.ts"))),
    ofWebhook("disable", "switch a webhook off, until it is switched on again")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/disable.ts"))),
    ofWebhook("enable", "switch a webhook on again that was switched off")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/enable.ts"))),
    ofWebhook("rotate", "print a new secret; the one before signs as well for a day")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/rotate.ts"))),
    ofWebhook("test", "send a ping, and say what came of it")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/test.ts"))),
    ofWebhook("deliveries", "list what a webhook was told, newest first")
      .option("--limit <N>", "how many")
      .option("--before <DELIVERY>", "only those before this one")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/deliveries.ts"))),
    ofWebhook("retry", "deliver an event again, and say what came of it")
      .argument("<delivery>")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks/retry.ts"))),
  ]);
}
