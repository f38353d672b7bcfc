import type { Command } from "commander";
import { auditCommands } from "./audit.ts";
import { backupCommands } from "./backups.ts";
import { doctorCommands } from "./doctor.ts";
import { freezeCommands } from "./freeze.ts";
import { nodeCommands } from "./nodes.ts";
import { retentionCommands } from "./retention.ts";
import { serveCommands } from "./serve.ts";
import { userCommands } from "./users.ts";

/** The commands that work on the data folder, in the order of the help. */
export function operatorCommands(): Command[] {
  return [
    serveCommands,
    userCommands,
    freezeCommands,
    backupCommands,
    nodeCommands,
    retentionCommands,
    auditCommands,
    doctorCommands,
  ].flatMap((commands) => commands());
}
