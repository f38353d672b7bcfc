import { expect, test } from "bun:test";
import { isAllowedRedirect, isRegisteredRedirect, isSafeRedirect } from "./redirects.ts";

const CALLBACK = "https://claude.ai/api/mcp/auth_callback";

test.each([
  [CALLBACK, CALLBACK, true],
  [CALLBACK, `${CALLBACK}/`, false],
  [CALLBACK, `${CALLBACK}?a=b`, false],
  [CALLBACK, `${CALLBACK}#a`, false],
  [CALLBACK, `${CALLBACK}/../evil`, false],
  [CALLBACK, "https://CLAUDE.ai/api/mcp/auth_callback", false],
  [CALLBACK, "http://claude.ai/api/mcp/auth_callback", false],
  [CALLBACK, "https://claude.ai:443/api/mcp/auth_callback", false],
  [CALLBACK, "https://claude.ai@evil.example/api/mcp/auth_callback", false],
  [CALLBACK, "https://claude.ai.evil.example/api/mcp/auth_callback", false],
  [CALLBACK, "", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:51004/callback", true],
  ["http://127.0.0.1:3000/callback", "http://127.0.0.1:51004/callback", true],
  ["http://localhost:3000/callback", "http://localhost:51004/callback", true],
  ["http://[::1]/callback", "http://[::1]:51004/callback", true],
  ["http://127.0.0.1", "http://127.0.0.1:1/", true],
  ["http://127.0.0.1/callback", "http://localhost:51004/callback", false],
  ["http://127.0.0.1/callback", "https://127.0.0.1/callback", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:51004/other", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:80@evil.example/callback", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1.evil.example/callback", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:51004/callback?x=1", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:51004\\callback", false],
])("registered %p, given %p: %p", (registered, given, fits) => {
  expect(isRegisteredRedirect(["https://other.example/", registered], given)).toBe(fits);
});

test.each([
  [CALLBACK, true],
  ["https://chatgpt.com/connector/oauth/aB-3", true],
  ["http://localhost:1455/callback", true],
  ["http://127.0.0.1/", true],
  ["cursor://anysphere.cursor-mcp/oauth/callback", true],
  ["https://chatgpt.com/connector/oauth/", false],
  ["https://chatgpt.com/connector/oauth/a/b", false],
  ["https://chatgpt.com/connector/oauth/..", false],
  ["https://chatgpt.com/connector/oauth/a?b=c", false],
  ["https://chatgpt.com/connector/oauth/%2e%2e", false],
  ["https://evil.example/", false],
  ["http://evil.example/localhost", false],
  ["javascript:alert(1)", false],
  ["other://anysphere.cursor-mcp/oauth/callback", false],
  ["callback", false],
])("the operator allows %p: %p", (uri, allowed) => {
  const list = [CALLBACK, "https://chatgpt.com/connector/oauth/*", "cursor://anysphere.cursor-mcp/oauth/callback"];
  expect(isAllowedRedirect(list, uri)).toBe(allowed);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "blob:https://a.example/x",
  "file:///x",
  "about:blank",
])("not even an operator can allow %p, which is code or content", (uri) => {
  expect(isAllowedRedirect([uri], uri)).toBe(false);
});

test.each([
  ["https://editor.example/callback", true],
  ["http://localhost/callback", true],
  ["http://editor.example/callback", false],
  ["editor://callback", false],
  ["https://user:password@editor.example/", false],
  ["https://editor.example/#fragment", false],
  ["https://editor.example/a b", false],
])("a document may name %p: %p", (uri, safe) => {
  expect(isSafeRedirect(uri)).toBe(safe);
});
