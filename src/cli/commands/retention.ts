import type { Command } from "commander";
import { group, jsonOption, type Lazy, longOption, operatorCommand } from "../command.ts";

export function retentionCommands(lazy: Lazy): Command[] {
  return [
    group("retention", "manage which deployments are kept", [
      showCommand(lazy),
      runCommand(lazy),
      setCommand(lazy),
      pinCommand(lazy),
      unpinCommand(lazy),
    ]).examples(
      "vitrine retention show",
      "vitrine retention set hello --keep-last 20",
      "vitrine retention pin hello 12",
    ),
  ];
}

// --- internal ---

function showCommand(lazy: Lazy): Command {
  return operatorCommand("show", "show the retention policy and what it would delete")
    .argument("[site]")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine retention show", "vitrine retention show hello", "vitrine retention show --json")
    .action(lazy(() => import("../retention.ts"), "showRetention"));
}

function runCommand(lazy: Lazy): Command {
  return operatorCommand("run", "delete now what the policy does not keep, instead of within the hour")
    .argument("[site]")
    .addOption(jsonOption())
    .examples("vitrine retention run", "vitrine retention run hello", "vitrine retention run --json")
    .action(lazy(() => import("../retention.ts"), "runRetention"));
}

function setCommand(lazy: Lazy): Command {
  return operatorCommand("set", "set a site's retention policy")
    .argument("<site>")
    .option("--keep-last <N>", "keep the newest N deployments")
    .option("--keep-days <N>", "keep deployments created or active within the last N days")
    .option("--default", "use the server's policy")
    .note("A deployment stays if either rule keeps it. The active one, the one before it and pinned ones always stay.")
    .examples(
      "vitrine retention set hello --keep-last 20",
      "vitrine retention set hello --keep-last 5 --keep-days 90",
      "vitrine retention set hello --default",
    )
    .action(lazy(() => import("../retention.ts"), "setRetention"));
}

function pinCommand(lazy: Lazy): Command {
  return operatorCommand("pin", "pin a deployment: no policy deletes it")
    .argument("<site>")
    .argument("<number>")
    .examples(
      "vitrine retention pin hello 12",
      "vitrine retention pin hello 12 --data-dir /srv/vitrine",
      "vitrine retention pin hello 1 --config /etc/vitrine/vitrine.toml",
    )
    .action(lazy(() => import("../retention.ts"), "pinDeployment"));
}

function unpinCommand(lazy: Lazy): Command {
  return operatorCommand("unpin", "unpin a deployment: the policy applies again")
    .argument("<site>")
    .argument("<number>")
    .examples(
      "vitrine retention unpin hello 12",
      "vitrine retention unpin hello 12 --data-dir /srv/vitrine",
      "vitrine retention unpin hello 1 --config /etc/vitrine/vitrine.toml",
    )
    .action(lazy(() => import("../retention.ts"), "unpinDeployment"));
}
