import type { Command } from "commander";
import { clientCommand, jsonOption, type Lazy, longOption } from "../command.ts";

export function activityCommands(lazy: Lazy): Command[] {
  return [activityCommand(lazy)];
}

// --- internal ---

function activityCommand(lazy: Lazy): Command {
  return clientCommand("activity", "show changes to your sites: what, who, when and from where")
    .argument("[site]", "only this site (default: all, and your other changes)")
    .option("--limit <N>", "number of entries, newest first")
    .option("--before <ID>", "only entries before this ID")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine activity", "vitrine activity hello --limit 20", "vitrine activity hello --before 1200")
    .action(lazy(() => import("../activity.ts"), "listActivity"));
}
