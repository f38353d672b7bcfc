import type { Command } from "commander";
import { clientCommand, jsonOption, type Lazy } from "../command.ts";

export function explainCommands(lazy: Lazy): Command[] {
  return [explainCommand(lazy)];
}

// --- internal ---

function explainCommand(lazy: Lazy): Command {
  return clientCommand("explain", "explain what visitors of a URL get, and why")
    .argument("<site>")
    .argument("<address>", "a path with its query, or a full URL of the site")
    .option("--deployment <N>", "explain this deployment (default: the active one)")
    .addOption(jsonOption())
    .examples(
      "vitrine explain hello /about",
      "vitrine explain hello https://hello.pages.example.org/old?page=2",
      "vitrine explain hello / --deployment 3",
    )
    .action(lazy(() => import("../explain.ts"), "explainVisit"));
}
