import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function analyticsCommands(): Command[] {
  return [
    clientCommand("analytics <site>", "show a site's views, visitors, pages and referrers")
      .option("--from <DAY>", "first day, such as 2026-11-01 (default: 29 days before the last one)")
      .option("--to <DAY>", "last day (default: today); days are in UTC")
      .listOptions()
      .note("The lists show ten entries. All of them, and days without visits, are in --json.")
      .examples("vitrine analytics hello", "vitrine analytics hello --from 2026-11-01 --to 2026-11-30")
      .runs(() => import("../analytics.ts"), "showAnalytics"),
  ];
}
