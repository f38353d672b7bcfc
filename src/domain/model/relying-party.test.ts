import { expect, test } from "bun:test";
import { passkeySupport } from "./relying-party.ts";

test.each([
  ["https://pages.example.org", "pages.example.org", "https://pages.example.org"],
  ["https://pages.example.org:8443", "pages.example.org", "https://pages.example.org:8443"],
  ["http://localhost:8080", "localhost", "http://localhost:8080"],
  ["http://pages.localhost:8080", "pages.localhost", "http://pages.localhost:8080"],
])("passkeys of %s are for %s and the origin %s", (baseUrl, id, origin) => {
  expect(passkeySupport(baseUrl)).toEqual({ party: { id, origin }, problem: null });
});

test.each([
  ["http://127.0.0.1:8080", "is an IP address"],
  ["https://203.0.113.7", "is an IP address"],
  ["https://[2001:db8::1]", "is an IP address"],
  ["http://pages.lan", "is plain HTTP"],
  ["http://notlocalhost", "is plain HTTP"],
])("%s has no passkeys: it %s", (baseUrl, reason) => {
  const support = passkeySupport(baseUrl);
  expect(support.party).toBeNull();
  expect(support.problem).toEndWith(`${baseUrl} ${reason}`);
});
