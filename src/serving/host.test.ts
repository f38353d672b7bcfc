import { expect, test } from "bun:test";
import { baseHosts, ownLabel, parseHost } from "./host.ts";

test.each([
  ["example.com", "example.com"],
  ["EXAMPLE.Com", "example.com"],
  ["example.com.", "example.com"],
  ["example.com:8080", "example.com"],
  ["example.com.:443", "example.com"],
  ["example.com:", "example.com"],
  ["localhost", "localhost"],
  ["3--brisk-otter-4821.example.com", "3--brisk-otter-4821.example.com"],
  ["xn--caf-dma.example", "xn--caf-dma.example"],
  ["127.0.0.1:8080", "127.0.0.1"],
  ["[::1]:8080", "[::1]"],
  ["[2001:db8::7]", "[2001:db8::7]"],
])("the host of %s is %s", (header, host) => {
  expect(parseHost(header)).toBe(host);
});

test.each([
  null,
  "",
  ".",
  "..",
  ".example.com",
  "example..com",
  "example.com..",
  "user@example.com",
  "a, b",
  "a/../b",
  "a b",
  "exa\tmple",
  "example.com:port",
  "example.com:123456",
  "example.com:65536",
  "example.com:80:80",
  "-example.com",
  "example-.com",
  "*.example.com",
  "ex%61mple.com",
  "[::1",
  "::1",
  "[g::1]",
  "münchen.example",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(127)}example`,
  "a".repeat(5000),
])("%p is not a host", (header) => {
  expect(parseHost(header)).toBeNull();
});

test("a loopback base URL can be reached with every loopback name, any other only with its own", () => {
  expect([...baseHosts("http://localhost:8080")]).toEqual(["localhost", "127.0.0.1", "[::1]"]);
  expect([...baseHosts("http://127.0.0.1:8080")]).toContain("localhost");
  expect([...baseHosts("https://Vitrine.Example")]).toEqual(["vitrine.example"]);
});

test.each([
  ["http://localhost:8080", "localhost", null],
  ["https://panel.example.org", "example.org", "panel"],
  ["https://panel.example.org:8443", "sites.example.org", null],
])("%s above sites of %s is %p among them", (baseUrl, sitesDomain, label) => {
  expect(ownLabel(baseUrl, sitesDomain)).toBe(label);
});
