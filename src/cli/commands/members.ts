import { Argument, type Command } from "commander";
import { GROUPS_HOLD } from "../../domain/model/group.ts";
import { MEMBER_ROLES } from "../../domain/model/role.ts";
import { clientCommand, group } from "../command.ts";

const members = () => import("../members.ts");

export function memberCommands(): Command[] {
  return [
    group("members", "manage who works on a site with you", [
      clientCommand("list <site>", "list a site's owner and members")
        .listOptions()
        .examples(
          "vitrine members list hello",
          "vitrine members list hello --long",
          "vitrine members list hello --json",
        )
        .runs(members, "listMembers"),
      clientCommand("set <site> <login>", "add a member or a group of them, or change their role")
        .addArgument(new Argument("<role>", "their role").choices(MEMBER_ROLES))
        .jsonOption()
        .note(
          "A deployer may deploy and activate. A maintainer may also decide who can view the site, and on which domains. " +
            "@GROUP in place of a login is everybody in a group of the server's OpenID Connect provider. It holds for " +
            `${GROUPS_HOLD} from their sign-in.`,
        )
        .examples(
          "vitrine members set hello grace deployer",
          "vitrine members set hello @docs-team deployer",
          "vitrine members set hello grace deployer --server https://pages.example.org",
        )
        .runs(members, "setMember"),
      clientCommand("remove <site> <login>", "remove a member, or leave a site")
        .examples(
          "vitrine members remove hello grace",
          "vitrine members remove hello grace --token vts_…",
          "vitrine members remove hello grace --server https://pages.example.org",
        )
        .runs(members, "removeMember"),
    ]).examples(
      "vitrine members list hello",
      "vitrine members set hello grace deployer",
      "vitrine members remove hello grace",
    ),
  ];
}
