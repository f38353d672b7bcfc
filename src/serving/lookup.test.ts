import { expect, test } from "bun:test";
import { heldMebibytes } from "../testing/held-memory.ts";
import { startHosted, VISITOR } from "./testing/hosted.ts";

/** Returns every spelling of a lower-case path, with each letter plain or percent-encoded. */
function spellings(path: string): string[] {
  return [...path].reduce<string[]>(
    (starts, letter) =>
      starts.flatMap((start) =>
        /[a-z]/.test(letter) ? [start + letter, `${start}%${letter.charCodeAt(0).toString(16)}`] : [start + letter],
      ),
    [""],
  );
}

test("prepared responses do not keep the query strings of their requests", async () => {
  using hosted = await startHosted({ cacheBytes: 64 * 1024 * 1024 });
  await hosted.publish("demo", { "abcdefgh.html": "page" });
  const pad = "q".repeat(100_000);
  const visit = async (path: string) => {
    const request = new Request(`http://demo.sites.test${path}?${pad}`);
    const response = await hosted.serve(request, "demo.sites.test", VISITOR);
    expect(response.status).toBe(200);
  };
  const held = await heldMebibytes(async () => {
    for (const path of spellings("/abcdefgh.html").slice(0, 1000)) await visit(path);
  });
  expect(held).toBeLessThan(50);
});
