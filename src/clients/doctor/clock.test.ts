import { expect, test } from "bun:test";
import { MINUTE } from "../../domain/timestamp.ts";
import { examineClock } from "./clock.ts";

const NOW = Date.UTC(2026, 10, 21);

/** A server with this time in its Date header. */
function serverAt(time: number) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(null, { headers: { Date: new Date(time).toUTCString() } }),
  });
}

test.each([
  ["after the last change", NOW - MINUTE, "ok"],
  ["a moment before the last change", NOW + MINUTE / 2, "ok"],
  ["long before the last change", NOW + 2 * MINUTE, "problem"],
  ["with nothing changed yet", null, "ok"],
] as const)("a clock %s", async (_, lastSeen, verdict) => {
  expect((await examineClock(NOW, lastSeen, null)).verdict).toBe(verdict);
});

test.each([
  ["agrees", NOW + 30_000, "ok"],
  ["is ahead", NOW - 5 * MINUTE, "warning"],
  ["is behind", NOW + 5 * MINUTE, "warning"],
] as const)("a clock that %s, compared to a server", async (_, time, verdict) => {
  using server = serverAt(time);
  expect((await examineClock(NOW, null, server.url.href)).verdict).toBe(verdict);
});

test("a server that does not respond says nothing about the clock", async () => {
  expect((await examineClock(NOW, null, "http://127.0.0.1:1/")).verdict).toBe("ok");
});
