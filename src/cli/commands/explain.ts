import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function explainCommands(): Command[] {
  return [
    clientCommand("explain <site>", "explain what visitors of a URL get, and why")
      .argument("<url>", "a path with its query, or a full URL of the site")
      .option("--deployment <N>", "explain this deployment (default: the active one)")
      .jsonOption()
      .examples(
        "vitrine explain hello /about",
        "vitrine explain hello https://hello.pages.example.org/old?page=2",
        "vitrine explain hello / --deployment 3",
      )
      .runs(() => import("../explain.ts"), "explainVisit"),
  ];
}
