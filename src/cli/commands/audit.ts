import type { Command } from "commander";
import { jsonOption, type Lazy, longOption, operatorCommand } from "../command.ts";

export function auditCommands(lazy: Lazy): Command[] {
  return [auditCommand(lazy)];
}

// --- internal ---

function auditCommand(lazy: Lazy): Command {
  return operatorCommand("audit", "show who changed what, when and from where")
    .option("--site <NAME>", "only changes to this site")
    .option("--limit <N>", "number of entries, newest first (default: 100)")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples("vitrine audit", "vitrine audit --site hello --limit 20", "vitrine audit --limit 1000 --json")
    .action(lazy(() => import("../audit.ts"), "listAudit"));
}
