import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const sites = () => import("../sites.ts");

export function siteCommands(): Command[] {
  return [
    group("sites", "manage your sites", [
      clientCommand("list", "list your sites")
        .option("--tag <TAG>", "only sites with this tag")
        .listOptions()
        .examples("vitrine sites list", "vitrine sites list --tag client")
        .runs(sites, "listSites"),
      clientCommand("tag <name>", "set a site's tags, in place of those that it has")
        .argument("[tag...]", "up to 10 tags, in lower case")
        .option("--clear", "remove all tags")
        .jsonOption()
        .examples("vitrine sites tag hello client docs", "vitrine sites tag hello --clear")
        .runs(sites, "tagSite"),
      clientCommand("expiry <name>", "set when a site expires, or let it stay")
        .argument("[time]", "the time from now on, from 1h to 365d, such as 30d")
        .option("--never", "let it stay")
        .jsonOption()
        .note(
          "An expired site shows nothing and takes no deployments. It can be brought back for 7 days, and is removed then.",
        )
        .examples(
          "vitrine sites expiry hello 30d",
          "vitrine sites expiry hello --never",
          "vitrine sites expiry hello 12h --json",
        )
        .runs(sites, "changeExpiry"),
      clientCommand("rename <site> <name>", "give a site another name")
        .jsonOption()
        .note(
          "For 90 days, requests for the former name are redirected. vitrine.json in this folder follows the new name.",
        )
        .examples(
          "vitrine sites rename hello welcome",
          "vitrine sites rename hello welcome --json",
          "vitrine sites rename hello welcome --server https://pages.example.org",
        )
        .runs(sites, "renameSite"),
      clientCommand("delete <name>", "delete a site and all its deployments")
        .option("-y, --yes", "do not ask")
        .note("Without a terminal to ask at, the command needs --yes.")
        .examples("vitrine sites delete hello", "vitrine sites delete hello --yes")
        .runs(sites, "deleteSite"),
    ]).examples("vitrine sites list", "vitrine sites delete hello"),
  ];
}
