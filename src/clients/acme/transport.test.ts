import { expect, test } from "bun:test";
import { acmeFetch, detailOf, fetchJson } from "./transport.ts";

test("a CA that refuses connections is reported in a sentence", async () => {
  await expect(fetchJson(acmeFetch(null), "https://127.0.0.1:1/directory")).rejects.toMatchObject({
    failure: { kind: "unreachable", error: "the CA at 127.0.0.1:1 cannot be reached: connection refused" },
  });
});

test.each([
  [{ detail: "no A record" }, "no A record"],
  // The CA quotes what the domain's own server sent.
  [{ detail: 'the file held "\u001b[2J\u202e"' }, 'the file held "\ufffd[2J\ufffd"'],
  [{ detail: "x".repeat(501) }, "x".repeat(500)],
  [{ detail: 5 }, null],
  [null, null],
])("the detail of the problem %j is %j", (problem, shown) => {
  expect(detailOf(problem)).toBe(shown);
});
