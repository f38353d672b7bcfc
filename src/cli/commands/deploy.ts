import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function deployCommands(): Command[] {
  return [
    clientCommand("deploy", "publish a folder, a ZIP or a single file")
      .argument("<path>", "a folder, a .zip, or a single file")
      .option(
        "--site <NAME>",
        "the site to deploy to (default: the one that this path was last deployed to, else a new one)",
      )
      .option(
        "--private",
        "make the site private in the same step; asks if an existing site that you did not name is public",
      )
      .option("--public", "make a new site public, whatever the server's default is")
      .option("--message <TEXT>", "reason for the deployment; its first line is shown in the history")
      .option("--commit <ID>", "commit ID, shown in the history (default: from CI variables)")
      .option("--ref <NAME>", "branch or tag, shown in the history (default: from CI variables)")
      .option(
        "--preview [ALIAS]",
        "leave the site as it is, and point the alias to the deployment (default: the pull request or branch in CI, else the git branch)",
      )
      .option("--site-expires <DURATION>", "when a site that this makes expires, such as 7d (default: it stays)")
      .option("--expires <DURATION>", "when the preview and its alias expire, such as 14d (default: the site's policy)")
      .option(
        "--check [WHAT]",
        "read the deploy report first, and go live only without new errors, or without any with --check=all; exits with 3 otherwise",
      )
      .option("--check-warnings", "the same for new warnings; with --check=all for all")
      .option(
        "--comment",
        "in CI, keep one comment on the pull or merge request up to date, with GITHUB_TOKEN or GITLAB_TOKEN",
      )
      .option(
        "--force",
        "create a deployment even if no file has changed, or if the folder is a project that is not built",
      )
      .jsonOption()
      .note(
        "vitrine.json remembers the site. A .vitrineignore file (gitignore syntax) in the folder excludes files. The URL goes to stdout, everything else to stderr.",
      )
      .examples(
        "vitrine deploy dist --site hello --check",
        "vitrine deploy notes.zip --private",
        "vitrine deploy dist --preview --expires 14d",
      )
      .runs(() => import("../deploy.ts"), "deploy"),
  ];
}
