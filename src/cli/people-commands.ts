import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "./command.ts";

export function peopleCommands(lazy: Lazy): Command[] {
  return [
    ...accountCommands(lazy),
    deployCommand(lazy),
    openCommand(lazy),
    sitesCommand(lazy),
    deploymentsCommand(lazy),
    aliasesCommand(lazy),
    promoteCommand(lazy),
    accessCommand(lazy),
    readersCommand(lazy),
    domainsCommand(lazy),
    sharesCommand(lazy),
    tokensCommand(lazy),
    publishersCommand(lazy),
    webhooksCommand(lazy),
    activityCommand(lazy),
    explainCommand(lazy),
  ];
}

function accountCommands(lazy: Lazy): Command[] {
  return [
    clientCommand("login", "sign in with the browser")
      .option("--no-browser", "only print the URL to open")
      .option("--scope <SCOPE>", 'ask for less than full access: preview, "preview site:NAME" or site:NAME')
      .action(lazy(() => import("./account.ts"), "login")),
    clientCommand("logout", "sign out and delete the saved credential").action(
      lazy(() => import("./account.ts"), "logout"),
    ),
    clientCommand("whoami", "show who is signed in")
      .addOption(jsonOption())
      .action(lazy(() => import("./account.ts"), "whoami")),
    clientCommand("passwd", "change your password and end your other sessions")
      .option("--password-stdin", "read the old and the new password from stdin, one per line")
      .action(lazy(() => import("./account.ts"), "changePassword")),
    clientCommand("limits", "show the server's limits and rates, and your own usage")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./limits.ts"), "showLimits")),
  ];
}

function deployCommand(lazy: Lazy): Command {
  return clientCommand("deploy", "publish a folder, a ZIP or a single file")
    .argument("<path>", "a folder, a .zip, or a single file")
    .option(
      "--site <NAME>",
      "the site to deploy to (default: the one that this path was last deployed to, else a new one)",
    )
    .option(
      "--private",
      "make the site private in the same step; asks if an existing site that you did not name is public",
    )
    .option("--message <TEXT>", "reason for the deployment, shown in the history")
    .option("--commit <ID>", "commit ID, shown in the history (default: from CI variables)")
    .option("--ref <NAME>", "branch or tag, shown in the history (default: from CI variables)")
    .option(
      "--preview [ALIAS]",
      "leave the site as it is, and point the alias to the deployment (default: the pull request or branch in CI, else the git branch)",
    )
    .option("--expires <DURATION>", "when the preview and its alias expire, such as 14d (default: the site's policy)")
    .option(
      "--comment",
      "in CI, keep one comment on the pull or merge request up to date, with GITHUB_TOKEN or GITLAB_TOKEN",
    )
    .option("--force", "create a deployment even if no file has changed")
    .addOption(jsonOption())
    .action(lazy(() => import("./deploy.ts"), "deploy"));
}

function openCommand(lazy: Lazy): Command {
  return clientCommand("open", "open a site in the browser and print its URL")
    .argument("[site]", "the site (default: the one in vitrine.json of the working folder)")
    .option("--no-browser", "only print the URL")
    .action(lazy(() => import("./open.ts"), "openSite"));
}

function sitesCommand(lazy: Lazy): Command {
  return group("sites", "manage your sites", [
    clientCommand("list", "list your sites")
      .option("--tag <TAG>", "only sites with this tag")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./sites.ts"), "listSites")),
    clientCommand("tag", "set a site's tags, in place of those that it has")
      .argument("<name>")
      .argument("[tag...]", "up to 10 tags, in lower case")
      .option("--clear", "remove all tags")
      .addOption(jsonOption())
      .action(lazy(() => import("./sites.ts"), "tagSite")),
    clientCommand("delete", "delete a site and all its deployments")
      .argument("<name>")
      .option("-y, --yes", "do not ask")
      .action(lazy(() => import("./sites.ts"), "deleteSite")),
  ]);
}

function deploymentsCommand(lazy: Lazy): Command {
  return group("deployments", "manage a site's deployments", [
    clientCommand("list", "list a site's deployments, newest first")
      .argument("<site>")
      .option("--limit <N>", "number of entries")
      .option("--before <NUMBER>", "only deployments before this number")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments.ts"), "listDeployments")),
    clientCommand("activate", "make a deployment the active one, which visitors see")
      .argument("<site>")
      .argument("<number>")
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments.ts"), "activateDeployment")),
    clientCommand("download", "download a deployment as a ZIP")
      .argument("<site>")
      .argument("<number>")
      .argument("<file>", "the file to write, or - for stdout")
      .action(lazy(() => import("./download.ts"), "downloadDeployment")),
    clientCommand("keep", "set which deployments are kept; others are deleted within the hour")
      .argument("<site>")
      .option("--keep-last <N>", "keep the newest N deployments")
      .option("--keep-days <N>", "keep deployments created or active within the last N days")
      .option("--default", "use the server's policy")
      .option("--dry-run", "only show what would be deleted")
      .addOption(jsonOption())
      .action(lazy(() => import("./deployments.ts"), "setRetention")),
    clientCommand("pin", "pin a deployment: no policy deletes it")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./deployments.ts"), "pinDeployment")),
    clientCommand("unpin", "unpin a deployment: the policy applies again")
      .argument("<site>")
      .argument("<number>")
      .action(lazy(() => import("./deployments.ts"), "unpinDeployment")),
  ]);
}

function aliasesCommand(lazy: Lazy): Command {
  return group("aliases", "manage a site's aliases, which point to deployments", [
    clientCommand("list", "list a site's aliases")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./aliases.ts"), "listAliases")),
    clientCommand("set", "point an alias to a deployment, and create it if necessary")
      .argument("<site>")
      .argument("<alias>")
      .argument("<number>")
      .option("--expires <DURATION>", "when the alias expires, such as 14d (default: never)")
      .addOption(jsonOption())
      .action(lazy(() => import("./aliases.ts"), "setAlias")),
    clientCommand("remove", "remove an alias; its deployment stays")
      .argument("<site>")
      .argument("<alias>")
      .action(lazy(() => import("./aliases.ts"), "removeAlias")),
  ]);
}

function promoteCommand(lazy: Lazy): Command {
  return clientCommand("promote", "activate the deployment that an alias points to")
    .argument("<site>")
    .argument("<alias>")
    .addOption(jsonOption())
    .action(lazy(() => import("./aliases.ts"), "promote"));
}

function accessCommand(lazy: Lazy): Command {
  return group("access", "control who can view a site", [
    clientCommand("show", "show whether a site is public or private")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access.ts"), "showAccess")),
    clientCommand("private", "make a site private: only you and its readers can view it")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access.ts"), "makePrivate")),
    clientCommand("public", "make a site public")
      .argument("<site>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access.ts"), "makePublic")),
  ]);
}

function readersCommand(lazy: Lazy): Command {
  return group("readers", "manage who can view a private site", [
    clientCommand("list", "list a site's readers")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./access.ts"), "listReaders")),
    clientCommand("add", "add a reader")
      .argument("<site>")
      .argument("<login>")
      .addOption(jsonOption())
      .action(lazy(() => import("./access.ts"), "addReader")),
    clientCommand("remove", "remove a reader")
      .argument("<site>")
      .argument("<login>")
      .action(lazy(() => import("./access.ts"), "removeReader")),
  ]);
}

function domainsCommand(lazy: Lazy): Command {
  return group("domains", "manage a site's custom domains", [
    clientCommand("add", "add a custom domain and print the DNS record to set")
      .argument("<site>")
      .argument("<hostname>")
      .option("--alias <NAME>", "show this alias (default: the site's active deployment)")
      .option("--wait", "wait until the domain is connected")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains.ts"), "addDomain")),
    clientCommand("list", "list a site's domains")
      .argument("<site>")
      .option("--all", "also show domains that were removed or expired, as --json always does")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./domains.ts"), "listDomains")),
    clientCommand("check", "check a domain's DNS now and explain each step")
      .argument("<site>")
      .argument("[hostname]", "the domain (default: all domains of the site)")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains.ts"), "checkDomains")),
    clientCommand("retry", "retry switching a domain between direct and proxy mode")
      .argument("<site>")
      .argument("<hostname>")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains.ts"), "retryTransition")),
    clientCommand("cancel", "cancel switching a domain between direct and proxy mode")
      .argument("<site>")
      .argument("<hostname>")
      .addOption(jsonOption())
      .action(lazy(() => import("./domains.ts"), "cancelTransition")),
    clientCommand("remove", "remove a custom domain")
      .argument("<site>")
      .argument("<hostname>")
      .action(lazy(() => import("./domains.ts"), "removeDomain")),
  ]);
}

function tokensCommand(lazy: Lazy): Command {
  return group("tokens", "manage deployment tokens, for CI", [
    clientCommand("create", "create a deployment token and print it, this once")
      .argument("<site>")
      .option("--name <NAME>", "name, such as what it is for")
      .option("--permission <PERMISSION>", "publish, or preview: makes previews, and cannot activate")
      .option("--expires-in <DURATION>", "refused from then on, such as 90d (default: never)")
      .addOption(jsonOption())
      .action(lazy(() => import("./tokens.ts"), "createToken")),
    clientCommand("list", "list your deployment tokens")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./tokens.ts"), "listTokens")),
    clientCommand("revoke", "revoke a deployment token")
      .argument("<id>")
      .action(lazy(() => import("./tokens.ts"), "revokeToken")),
  ]);
}

function publishersCommand(lazy: Lazy): Command {
  return group("publishers", "let CI deploy without a stored secret", [
    clientCommand("add", "let a repository's workflow deploy to a site")
      .argument("<site>")
      .option("--github <REPOSITORY>", "owner/repository on GitHub")
      .option("--gitlab <PROJECT>", "path of the project on GitLab, with its groups")
      .option("--forgejo <REPOSITORY>", "owner/repository on Forgejo; needs --issuer")
      .option("--issuer <URL>", "issuer of the ID tokens (default: GitHub's, gitlab.com's)")
      .option("--workflow <FILE>", "only this workflow, such as deploy.yml")
      .option("--ref <REF>", "only this branch or tag, such as refs/heads/main")
      .option("--environment <NAME>", "only jobs of this environment")
      .option("--preview", "previews only, which need neither --ref nor --environment")
      .addOption(jsonOption())
      .action(lazy(() => import("./publishers.ts"), "addPublisher")),
    clientCommand("list", "list a site's publishers")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./publishers.ts"), "listPublishers")),
    clientCommand("remove", "remove a publisher, and end the tokens that it was given")
      .argument("<site>")
      .argument("<id>")
      .action(lazy(() => import("./publishers.ts"), "removePublisher")),
  ]);
}

function sharesCommand(lazy: Lazy): Command {
  return group("shares", "open a private site to people without an account", [
    clientCommand("create", "create a link, a password or a token, and print it, this once")
      .argument("<site>")
      .option("--label <TEXT>", "for whom it is; shown in the list")
      .option("--alias <ALIAS>", "only this alias (default: the live site)")
      .option("--deployment <NUMBER>", "only this deployment")
      .option("--expires-in <DURATION>", "from 1s to 365d (default: 30d)")
      .option("--password", "ask for a password, which visitors then enter")
      .option("--password-stdin", "read that password from stdin")
      .option("--automation", "make a bearer token for tests and scripts")
      .addOption(jsonOption())
      .action(lazy(() => import("./shares.ts"), "createShare")),
    clientCommand("list", "list a site's shares")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./shares.ts"), "listShares")),
    clientCommand("revoke", "revoke a share; effective with the next request")
      .argument("<site>")
      .argument("<id>")
      .action(lazy(() => import("./shares.ts"), "revokeShare")),
  ]);
}

function activityCommand(lazy: Lazy): Command {
  return clientCommand("activity", "show changes to your sites: what, who, when and from where")
    .argument("[site]", "only this site (default: all, and your other changes)")
    .option("--limit <N>", "number of entries, newest first")
    .option("--before <ID>", "only entries before this ID")
    .addOption(longOption())
    .addOption(jsonOption())
    .action(lazy(() => import("./activity.ts"), "listActivity"));
}

function explainCommand(lazy: Lazy): Command {
  return clientCommand("explain", "explain what visitors of a URL get, and why")
    .argument("<site>")
    .argument("<address>", "a path with its query, or a full URL of the site")
    .option("--deployment <N>", "explain this deployment (default: the active one)")
    .addOption(jsonOption())
    .action(lazy(() => import("./explain.ts"), "explainVisit"));
}

function webhooksCommand(lazy: Lazy): Command {
  const ofWebhook = (name: string, description: string) =>
    clientCommand(name, description).argument("<site>").argument("<id>", "the webhook's ID");
  return group("webhooks", "manage a site's webhooks", [
    clientCommand("list", "list a site's webhooks")
      .argument("<site>")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "listWebhooks")),
    clientCommand("add", "add a webhook and print its signing secret, this once")
      .argument("<site>")
      .argument("<url>")
      .option("--events <TYPES>", "event types, such as deployment.published,domain.action_needed (default: all)")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "addWebhook")),
    ofWebhook("change", "change a webhook's URL or event types")
      .option("--url <URL>", "the new URL")
      .option("--events <TYPES>", "the new event types, or all")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "changeWebhook")),
    ofWebhook("remove", "remove a webhook").action(lazy(() => import("./webhooks.ts"), "removeWebhook")),
    ofWebhook("disable", "disable a webhook")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "disableWebhook")),
    ofWebhook("enable", "enable a webhook")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "enableWebhook")),
    ofWebhook("rotate", "create a new signing secret and print it; the old one stays valid for a day")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "rotateSecret")),
    ofWebhook("test", "send a test event and show the response")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "sendTest")),
    ofWebhook("deliveries", "list a webhook's deliveries, newest first")
      .option("--limit <N>", "number of entries")
      .option("--before <DELIVERY>", "only deliveries before this ID")
      .addOption(longOption())
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "listDeliveries")),
    ofWebhook("retry", "deliver an event again and show the response")
      .argument("<delivery>")
      .addOption(jsonOption())
      .action(lazy(() => import("./webhooks.ts"), "retryDelivery")),
  ]);
}
