import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function activityCommands(): Command[] {
  return [
    clientCommand("activity", "show who changed your sites, when and from where")
      .argument("[site]", "only this site (default: all, and your other changes)")
      .option("--limit <N>", "number of entries, newest first")
      .option("--before <ID>", "only entries before this ID")
      .listOptions()
      .examples("vitrine activity", "vitrine activity hello --limit 20", "vitrine activity hello --before 1200")
      .runs(() => import("../activity.ts"), "listActivity"),
  ];
}
