import type { Command } from "commander";
import { clientCommand, type Lazy } from "../command.ts";

export function openCommands(lazy: Lazy): Command[] {
  return [openCommand(lazy)];
}

// --- internal ---

function openCommand(lazy: Lazy): Command {
  return clientCommand("open", "open a site in the browser and print its URL")
    .argument("[site]", "the site (default: the one in vitrine.json of the working folder)")
    .option("--no-browser", "only print the URL")
    .examples("vitrine open", "vitrine open hello", "vitrine open hello --no-browser")
    .action(lazy(() => import("../open.ts"), "openSite"));
}
