import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const access = () => import("../access.ts");

export function accessCommands(): Command[] {
  return [
    group("access", "control who can view a site", [
      clientCommand("show <site>", "show whether a site is public or private")
        .jsonOption()
        .examples("vitrine access show hello")
        .runs(access, "showAccess"),
      clientCommand("private <site>", "make a site private: only you and its readers can view it")
        .jsonOption()
        .examples("vitrine access private hello")
        .runs(access, "setAccess", "private"),
      clientCommand("public <site>", "make a site public")
        .jsonOption()
        .examples("vitrine access public hello")
        .runs(access, "setAccess", "public"),
    ]).examples("vitrine access show hello", "vitrine access private hello", "vitrine access public hello"),
    group("readers", "manage who can view a private site", [
      clientCommand("list <site>", "list a site's readers")
        .listOptions()
        .examples("vitrine readers list hello")
        .runs(access, "listReaders"),
      clientCommand("add <site> <login>", "add a reader, or a group of them")
        .jsonOption()
        .note("@GROUP in place of a login is everybody in a group of the server's OpenID Connect provider.")
        .examples("vitrine readers add hello grace", "vitrine readers add hello @staff")
        .runs(access, "addReader"),
      clientCommand("remove <site> <login>", "remove a reader")
        .examples("vitrine readers remove hello grace")
        .runs(access, "removeReader"),
    ]).examples("vitrine readers list hello", "vitrine readers add hello grace", "vitrine readers remove hello grace"),
  ];
}
