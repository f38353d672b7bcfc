import { expect, test } from "bun:test";
import { siteNamed } from "../testing/site.ts";
import { secretsOf } from "./of-site.ts";

test("a site that was created anew has other secrets than the one before of its name", () => {
  const [old, anew] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"].map((created) =>
    secretsOf(siteNamed("blog", { created }), "token"),
  );
  expect(old).not.toBe(anew);
});
