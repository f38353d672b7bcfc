import { expect, test } from "bun:test";
import { FileAnswer } from "./answer.ts";
import { compileManifest } from "./compiled-manifest.ts";
import { EncodingTable } from "./file-table.ts";
import type { Route } from "./ports.ts";

const file = { path: "index.html", digest: "ab".repeat(32), size: 3 };
const route: Route = {
  host: "demo.test",
  key: "1 0  ",
  siteId: 1,
  siteName: "demo",
  ownerId: 1,
  private: false,
  frozen: false,
  deploymentId: 1,
  deploymentNumber: 1,
  publishedAt: 0,
  isLive: true,
  canonicalHost: null,
};

test("an answer that is kept holds on to nothing of its deployment", () => {
  const manifest = compileManifest({ files: [file], redirects: [], headers: [] });
  const encodings = new EncodingTable(manifest.files, new Map());
  const served = { manifest, encodings, fields: new Map(), complete: true, generation: 7 };
  const answer = new FileAnswer(served, file, 200, { route, canonical: null, path: "/", scheme: "https" });
  answer.representation("identity");
  const kept = Bun.inspect(answer, { depth: 6 });
  expect(kept).toContain(file.digest);
  expect(kept).not.toMatch(/manifest|redirects/);
});
