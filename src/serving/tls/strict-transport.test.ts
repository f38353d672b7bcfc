import { expect, test } from "bun:test";
import { strictTransport } from "./strict-transport.ts";

const DAY = 86_400_000;
const PAGES = "https://pages.example.org";

test.each([
  ["acme", 365 * DAY, PAGES, "max-age=31536000"],
  ["manual", 1000, `${PAGES}:8443`, "max-age=1"],
  ["internal", 365 * DAY, PAGES, null],
  ["off", 365 * DAY, PAGES, null],
  ["acme", null, PAGES, null],
  ["manual", 365 * DAY, "https://localhost:8443", null],
  ["manual", 365 * DAY, "https://pages.localhost", null],
  ["manual", 365 * DAY, "https://127.0.0.1", null],
  ["manual", 365 * DAY, "https://[::1]", null],
  ["manual", 365 * DAY, "https://203.0.113.7", null],
  ["manual", 365 * DAY, "https://[2001:db8::7]", null],
] as const)("TLS %s with --hsts %p at %s sends %p", (tls, hsts, baseUrl, expected) => {
  expect(strictTransport({ tls, hsts, baseUrl })).toBe(expected);
});
