import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

export function previewCommands(): Command[] {
  return [
    group("previews", "control who can see previews, and for how long", [
      clientCommand("policy <site>", "show or set who can see a site's previews, and when new ones expire")
        .option("--access <WHO>", "site for everybody who can see the site, private for owner and readers, or public")
        .option("--expires <DURATION>", "when new previews and their aliases expire, from 1h to 365d, such as 14d")
        .jsonOption()
        .examples("vitrine previews policy hello", "vitrine previews policy hello --access private --expires 14d")
        .runs(() => import("../previews.ts"), "previewPolicy"),
    ]).examples(
      "vitrine previews policy hello",
      "vitrine previews policy hello --access private",
      "vitrine previews policy hello --expires 14d",
    ),
  ];
}
