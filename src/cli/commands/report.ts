import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function reportCommands(): Command[] {
  return [
    clientCommand("report <site> [number]", "show broken links and other findings in a deployment")
      .jsonOption()
      .note("Without a number, the newest deployment. Waits until the report is made, for five minutes at most.")
      .examples("vitrine report hello", "vitrine report hello 3", "vitrine report hello --json")
      .runs(() => import("../report.ts"), "printReport"),
  ];
}
