import { expect, test } from "bun:test";
import { actorOf, iconOf } from "./activity-words.ts";

test.each([
  ["POST /deploy", "upload"],
  ["POST /sites/:name/deployments/:deployment_number/activate", "upload"],
  ["PUT /sites/:name/aliases/:alias", "tag"],
  ["POST /sites/:site_name/domains", "globe"],
  ["DELETE /sites/:name/deployments/:deployment_number/pin", "pin"],
  ["DELETE /sites/:name/deployments/:deployment_number", "trash"],
  ["POST /sites/:name/shares", "link"],
  ["PUT /sites/:name/members/:login", "user"],
  ["vitrine sites freeze", "settings"],
])("%s has the icon %s", (action, icon) => {
  expect(iconOf(action)).toBe(icon as ReturnType<typeof iconOf>);
});

test.each([
  ["session", "ada", "ada"],
  ["mcp", "ada", "ada"],
  ["deployment_token", "CI", "Token CI"],
  ["operator", "", "The operator"],
  ["visitor", "", "A visitor"],
  ["server", "", "The server"],
] as const)("a change by %s %j is shown as that of %s", (kind, actor, words) => {
  expect(actorOf({ kind, actor })).toBe(words);
});
