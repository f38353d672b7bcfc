import { expect, test } from "bun:test";
import { MINUTE, SECOND } from "../timestamp.ts";
import { findStaleClaim } from "./freshness.ts";

const NOW = 1_793_525_400_000;
const BASE = "https://pages.example.org";
const seconds = (offset: number) => (NOW + offset) / 1000;

const GOOD = { aud: BASE, iat: seconds(0), nbf: seconds(-10 * MINUTE), exp: seconds(5 * MINUTE), jti: "1" };

test.each([
  ["issued now", {}, null],
  ["for several audiences", { aud: ["other", BASE] }, null],
  ["ten minutes old", { iat: seconds(-10 * MINUTE) }, null],
  ["without nbf", { nbf: undefined }, null],
  ["by a clock that is a minute ahead", { iat: seconds(MINUTE), nbf: seconds(MINUTE) }, null],
  ["for another audience", { aud: "https://elsewhere.example" }, "aud"],
  ["for a URL that only begins so", { aud: `${BASE}.evil.example` }, "aud"],
  ["for the audience with a slash", { aud: `${BASE}/` }, "aud"],
  ["without an audience", { aud: undefined }, "aud"],
  ["more than ten minutes old", { iat: seconds(-10 * MINUTE - SECOND) }, "iat"],
  ["more than ten minutes old, and good for an hour", { iat: seconds(-11 * MINUTE), exp: seconds(49 * MINUTE) }, "iat"],
  ["of the future", { iat: seconds(2 * MINUTE) }, "iat"],
  ["at no time", { iat: undefined }, "iat"],
  ["at a time in words", { iat: "now" }, "iat"],
  ["at an endless time", { iat: Number.NEGATIVE_INFINITY }, "iat"],
  ["expired this second", { exp: seconds(0) }, "exp"],
  ["without an end", { exp: undefined }, "exp"],
  ["not valid yet", { nbf: seconds(2 * MINUTE) }, "nbf"],
  ["not valid at some time", { nbf: null }, "nbf"],
  ["without an identifier", { jti: undefined }, "jti"],
  ["with an empty identifier", { jti: "" }, "jti"],
  ["with a number for an identifier", { jti: 1 }, "jti"],
  ["with a long identifier", { jti: "x".repeat(1001) }, "jti"],
])("an ID token %s", (_what, claims, stale) => {
  const found = findStaleClaim({ ...GOOD, ...claims }, BASE, NOW);
  expect(found?.split(":")[0] ?? null).toBe(stale);
});
