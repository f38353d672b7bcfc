import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const aliases = () => import("../aliases.ts");

export function aliasCommands(): Command[] {
  return [
    group("aliases", "manage a site's aliases, which point to deployments", [
      clientCommand("list <site>", "list a site's aliases")
        .listOptions()
        .examples("vitrine aliases list hello")
        .runs(aliases, "listAliases"),
      clientCommand("set <site> <alias> <number>", "point an alias to a deployment, and create it if necessary")
        .option("--expires <DURATION>", "when the alias expires, such as 14d (default: never)")
        .jsonOption()
        .note("An alias becomes a DNS label: lower case, with hyphens for all but a-z and 0-9.")
        .examples("vitrine aliases set hello staging 12", "vitrine aliases set hello feature/login 12 --expires 14d")
        .runs(aliases, "setAlias"),
      clientCommand("remove <site> <alias>", "remove an alias; its deployment stays")
        .option("--if-exists", "succeed also if there is no such alias")
        .examples("vitrine aliases remove hello staging", "vitrine aliases remove hello feature/login --if-exists")
        .runs(aliases, "removeAlias"),
    ]).examples(
      "vitrine aliases list hello",
      "vitrine aliases set hello staging 12",
      "vitrine aliases remove hello staging",
    ),
    clientCommand("promote <site> <alias>", "activate the deployment that an alias points to")
      .jsonOption()
      .examples("vitrine promote hello staging", "vitrine promote hello feature/login")
      .runs(aliases, "promote"),
  ];
}
