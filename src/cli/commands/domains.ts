import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const domains = () => import("../domains.ts");

export function domainCommands(): Command[] {
  return [
    group("domains", "manage a site's custom domains", [
      clientCommand("add <site> <hostname>", "add a custom domain and print the DNS record to set")
        .option("--alias <NAME>", "show this alias (default: the site's active deployment)")
        .option("--wait", "wait until the domain is connected")
        .jsonOption()
        .note("The TXT record to set goes to stdout, the further steps to stderr.")
        .examples("vitrine domains add hello www.example.org", "vitrine domains add hello www.example.org --wait")
        .runs(domains, "addDomain"),
      clientCommand("list <site>", "list a site's domains")
        .option("--all", "also show domains that were removed or expired, as --json always does")
        .listOptions()
        .examples("vitrine domains list hello", "vitrine domains list hello --all")
        .runs(domains, "listDomains"),
      clientCommand("check <site>", "check a domain's DNS now and explain each step")
        .argument("[hostname]", "the domain (default: all domains of the site)")
        .jsonOption()
        .examples("vitrine domains check hello", "vitrine domains check hello www.example.org")
        .runs(domains, "checkDomains"),
      clientCommand("retry <site> <hostname>", "retry switching a domain between direct and proxy mode")
        .jsonOption()
        .examples("vitrine domains retry hello www.example.org")
        .runs(domains, "changeTransition", "retry"),
      clientCommand("cancel <site> <hostname>", "cancel switching a domain between direct and proxy mode")
        .jsonOption()
        .examples("vitrine domains cancel hello www.example.org")
        .runs(domains, "changeTransition", "cancel"),
      clientCommand("remove <site> <hostname>", "remove a custom domain")
        .examples("vitrine domains remove hello www.example.org")
        .runs(domains, "removeDomain"),
    ]).examples(
      "vitrine domains add hello www.example.org",
      "vitrine domains check hello",
      "vitrine domains remove hello www.example.org",
    ),
  ];
}
