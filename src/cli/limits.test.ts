import { expect, test } from "bun:test";
import { runCli } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

test.each([
  [1, null, "ada has 1 site with 5 bytes.\n"],
  [2, null, "ada has 2 sites with 5 bytes.\n"],
  [0, 1, "ada has 0 of 1 site with 5 bytes.\n"],
  [1, 1000, "ada has 1 of 1,000 sites with 5 bytes.\n"],
])("%j of %j sites are formatted as text", async (used, limit, words) => {
  const own = { login: "ada", sites: { used, limit }, bytes: { used: 5, limit: null } };
  await using server = stubServer({ "GET /capabilities/limits": Response.json({ limits: [], rates: [], own }) });
  const { stderr } = await runCli(["limits", "--server", server.url], { XDG_CONFIG_HOME: "/nowhere" });
  expect(stderr).toEndWith(words);
});
