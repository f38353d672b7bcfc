import { expect, test } from "bun:test";
import { previewIn } from "./agent-words.ts";

test.each([
  ["POST /deploy", "blog", "deployment_number=3 preview=yes client=Claude", { site: "blog", number: 3 }],
  ["POST /deploy", "blog", "deployment_number=3 client=Claude", null],
  ["POST /deploy", null, "deployment_number=3 preview=yes", null],
  ["POST /deploy", "blog", "preview=yes client=deployment_number%3D3", null],
  ["POST /sites/:name/shares", "blog", "deployment_number=3 preview=yes", null],
])("%s %p %p is about the preview %j", (action, site, subject, preview) => {
  expect<unknown>(previewIn({ action, site, subject })).toEqual(preview);
});
