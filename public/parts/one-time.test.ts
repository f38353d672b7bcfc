import { expect, test } from "bun:test";
import { ApiError } from "../api/client.ts";
import { siteNamed } from "../testing/site.ts";
import { secretsOf } from "./of-site.ts";
import { isGone } from "./one-time.ts";

const secret = { id: "a" };
const others = [{ id: "b" }];

test.each([
  ["not loaded yet", undefined, undefined, false],
  ["with the secret", [...others, secret], undefined, false],
  ["without it", others, undefined, true],
  ["that failed to reload", others, 503, false],
  ["that is not found any more", [secret], 404, true],
])("after a list %s", (_what, data, status, gone) => {
  const error = status === undefined ? undefined : new ApiError(status, "refused");
  expect(isGone(secret, { data, error })).toBe(gone);
});

test("a site that was created anew has other secrets than the one before of its name", () => {
  const [old, anew] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"].map((created) =>
    secretsOf(siteNamed("blog", { created }), "token"),
  );
  expect(old).not.toBe(anew);
});
