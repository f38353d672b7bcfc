import { expect, test } from "bun:test";
import { localPath } from "./browser.ts";
import { makeLinks } from "./schemas/links.ts";

const links = makeLinks("http://localhost:8080", "localhost");

test.each([
  ["/", "/"],
  ["/device?user_code=BCDF-GHJK", "/device?user_code=BCDF-GHJK"],
  ["/a/../b", "/b"],
  ["/a//b", "/a//b"],
  [null, "/"],
  ["", "/"],
  ["device", "/"],
  ["//evil.example", "/"],
  ["///evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/.//evil.example", "/"],
  ["/..//evil.example", "/"],
  ["/a/..//evil.example", "/"],
  ["/%2e//evil.example", "/"],
  ["https://evil.example/", "/"],
  ["http://localhost:8080/device", "/"],
  ["javascript:alert(1)", "/"],
  ["/\r\nSet-Cookie: a=b", "/Set-Cookie:%20a=b"],
])("a page that was reached from %j returns to %j", (wanted, path) => {
  expect(localPath(wanted, links)).toBe(path);
});
