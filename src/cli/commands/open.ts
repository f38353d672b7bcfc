import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function openCommands(): Command[] {
  return [
    clientCommand("open", "open a site in the browser and print its URL")
      .argument("[site]", "the site (default: the one in vitrine.json of the working folder)")
      .option("--no-browser", "only print the URL")
      .examples("vitrine open", "vitrine open hello", "vitrine open hello --no-browser")
      .runs(() => import("../open.ts"), "openSite"),
  ];
}
