import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function deploymentCommands(lazy: Lazy): Command[] {
  return [
    group("deployments", "manage a site's deployments", [
      listCommand(lazy),
      activateCommand(lazy),
      downloadCommand(lazy),
      keepCommand(lazy),
      pinCommand(lazy),
      unpinCommand(lazy),
    ]).examples(
      "vitrine deployments list hello",
      "vitrine deployments activate hello 3",
      "vitrine deployments download hello 3 hello-3.zip",
    ),
  ];
}

// --- internal ---

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's deployments, newest first")
    .argument("<site>")
    .option("--limit <N>", "number of entries")
    .option("--before <NUMBER>", "only deployments before this number")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples(
      "vitrine deployments list hello",
      "vitrine deployments list hello --limit 5 --before 12",
      "vitrine deployments list hello --long",
    )
    .action(lazy(() => import("../deployments.ts"), "listDeployments"));
}

function activateCommand(lazy: Lazy): Command {
  return clientCommand("activate", "make a deployment the active one, which visitors see")
    .argument("<site>")
    .argument("<number>")
    .addOption(jsonOption())
    .examples(
      "vitrine deployments activate hello 3",
      "vitrine deployments activate hello 3 --json",
      "vitrine deployments activate hello 1 --token vtd_…",
    )
    .action(lazy(() => import("../deployments.ts"), "activateDeployment"));
}

function downloadCommand(lazy: Lazy): Command {
  return clientCommand("download", "download a deployment as a ZIP")
    .argument("<site>")
    .argument("<number>")
    .argument("<file>", "the file to write, or - for stdout")
    .examples(
      "vitrine deployments download hello 3 hello-3.zip",
      "vitrine deployments download hello 3 - > hello-3.zip",
      "vitrine deployments download hello 1 /tmp/first.zip",
    )
    .action(lazy(() => import("../download.ts"), "downloadDeployment"));
}

function keepCommand(lazy: Lazy): Command {
  return clientCommand("keep", "set which deployments are kept; others are deleted within the hour")
    .argument("<site>")
    .option("--keep-last <N>", "keep the newest N deployments")
    .option("--keep-days <N>", "keep deployments created or active within the last N days")
    .option("--default", "use the server's policy")
    .option("--dry-run", "only show what would be deleted")
    .addOption(jsonOption())
    .note("A deployment stays if either rule keeps it. The active one, the one before it and pinned ones always stay.")
    .examples(
      "vitrine deployments keep hello --keep-last 20",
      "vitrine deployments keep hello --keep-days 90 --dry-run",
      "vitrine deployments keep hello --default",
    )
    .action(lazy(() => import("../deployments.ts"), "setRetention"));
}

function pinCommand(lazy: Lazy): Command {
  return clientCommand("pin", "pin a deployment: no policy deletes it")
    .argument("<site>")
    .argument("<number>")
    .examples(
      "vitrine deployments pin hello 12",
      "vitrine deployments pin hello 1",
      "vitrine deployments pin hello 12 --server https://pages.example.org",
    )
    .action(lazy(() => import("../deployments.ts"), "pinDeployment"));
}

function unpinCommand(lazy: Lazy): Command {
  return clientCommand("unpin", "unpin a deployment: the policy applies again")
    .argument("<site>")
    .argument("<number>")
    .examples(
      "vitrine deployments unpin hello 12",
      "vitrine deployments unpin hello 1",
      "vitrine deployments unpin hello 12 --server https://pages.example.org",
    )
    .action(lazy(() => import("../deployments.ts"), "unpinDeployment"));
}
