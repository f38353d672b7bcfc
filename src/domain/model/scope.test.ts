import { expect, test } from "bun:test";
import { formatScope, MAX_SCOPE_SITES, parseScope, type RequestedScope, scopeProblem } from "./scope.ts";

const publish = (...siteNames: readonly string[]): RequestedScope => ({ permission: "publish", siteNames });
const preview = (...siteNames: readonly string[]): RequestedScope => ({ permission: "preview", siteNames });
const manySites = Array.from({ length: MAX_SCOPE_SITES }, (_, index) => `site:s${index}`).join(" ");

test.each<[string, RequestedScope | null]>([
  ["", null],
  ["publish", publish()],
  ["preview", preview()],
  ["publish preview", publish()],
  ["site:blog", publish("blog")],
  ["preview site:blog", preview("blog")],
  ["site:blog preview site:docs site:blog", preview("blog", "docs")],
  [`preview ${manySites}`, preview(...manySites.replaceAll("site:", "").split(" "))],
])("the scope %p", (text, scope) => {
  expect(scopeProblem(text)).toBeNull();
  expect(parseScope(text)).toEqual(scope);
  if (scope) expect(parseScope(formatScope(scope))).toEqual(scope);
});

test.each([
  ["admin", 'unknown scope "admin": send publish, preview or site:<name>'],
  ["Preview", 'unknown scope "Preview"'],
  ["preview openid", 'unknown scope "openid"'],
  [" ", 'unknown scope ""'],
  ["preview  site:blog", 'unknown scope ""'],
  ["preview\tsite:blog", 'unknown scope "preview\\tsite:blog"'],
  ["site:", 'scope "site:" names no site: it is empty'],
  ["site:Blog", 'scope "site:Blog" names no site: only a-z, 0-9 and - are allowed'],
  ["site:a--b", 'scope "site:a--b" names no site: it may not contain two hyphens in a row'],
  [`${manySites} site:more`, `a scope names at most ${MAX_SCOPE_SITES} sites`],
  ["x".repeat(60_000), `unknown scope "${"x".repeat(80)}"`],
])("the scope %p is refused", (text, problem) => {
  expect(scopeProblem(text)).toStartWith(problem);
});
