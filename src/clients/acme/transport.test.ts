import { expect, test } from "bun:test";
import { acmeFetch, fetchJson } from "./transport.ts";

test("a CA that refuses connections is reported in a sentence", async () => {
  await expect(fetchJson(acmeFetch(null), "https://127.0.0.1:1/directory")).rejects.toMatchObject({
    failure: { kind: "unreachable", error: "the CA at 127.0.0.1:1 cannot be reached: connection refused" },
  });
});
