import type { Command } from "commander";
import { operatorCommand } from "../command.ts";

export function auditCommands(): Command[] {
  return [
    operatorCommand("audit", "show who changed what, when and from where")
      .option("--site <NAME>", "only changes to this site")
      .option("--limit <N>", "number of entries, newest first (default: 100)")
      .listOptions()
      .examples("vitrine audit", "vitrine audit --site hello --limit 20", "vitrine audit --limit 1000 --json")
      .runs(() => import("../audit.ts"), "listAudit"),
  ];
}
