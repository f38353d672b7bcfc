import { expect, test } from "bun:test";
import { deployCommands } from "./token-words.ts";

const commandsOf = (permission: "publish" | "preview") =>
  deployCommands({ site_name: "blog", permission }, { server: "https://pages.example.org", isOffered: true });

test("the commands name the site and the server", () => {
  expect(commandsOf("publish")).toEqual({
    vitrine: "npx https://pages.example.org/vitrine.tgz deploy dist --site blog",
    curl: 'curl https://pages.example.org/deploy \\\n  -H "Authorization: Bearer $VITRINE_TOKEN" \\\n  -H "X-Service-Site: blog" -F file=@site.zip',
  });
});

test("those of a token for previews do not publish, which it may not", () => {
  const { vitrine, curl } = commandsOf("preview");
  expect([vitrine, curl]).toEqual([expect.stringMatching(/ --preview$/), expect.stringContaining("Activate: no")]);
});
