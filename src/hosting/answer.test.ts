import { heapStats } from "bun:jsc";
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

const manifest = compileManifest({ files: [file], redirects: [], headers: [] });
const encodings = new EncodingTable(manifest.files, new Map());
const served = { manifest, encodings, templates: new Map(), complete: true, generation: 7 };
const makeAnswer = () =>
  new FileAnswer(served, file, 200, { route, canonical: "/", path: "/index.html", scheme: "https" });

test("an answer that is kept holds on to nothing of its deployment", () => {
  const answer = makeAnswer();
  answer.representation("identity");
  const kept = Bun.inspect(answer, { depth: 6 });
  expect(kept).toContain(file.digest);
  expect(kept).not.toMatch(/manifest|redirects/);
});

test("a deployment that is activated again and again is remembered for a few of its activations", () => {
  for (let activation = 1; activation <= 100; activation++) {
    const activated = { ...route, key: `1 ${activation}  `, publishedAt: activation };
    new FileAnswer(served, file, 200, { route: activated, canonical: "/", path: "/", scheme: "https" });
  }
  expect(served.templates.size).toBeWithin(1, 9);
});

test("answers are alike however often they were asked for, and 500 keep what makes the next one quick", () => {
  const seen = new Set<string>();
  const look = ({ identity }: FileAnswer) => {
    for (const { status, headers } of [identity.respond(new TextEncoder().encode("abc")), identity.notModified()]) {
      seen.add(JSON.stringify([status, ...headers]));
    }
  };
  const answers = Array.from({ length: 1200 }, makeAnswer);
  for (let turn = 0; turn < 2; turn++) for (const answer of answers) for (let n = 0; n < 70; n++) look(answer);
  expect([...seen].map((answer) => JSON.parse(answer)[0])).toEqual([200, 304]);
  Bun.gc(true);
  // Two responses and a blob each, and what the collector has overlooked.
  const { Response: responses, Blob: blobs } = heapStats().objectTypeCounts;
  expect(responses).toBeWithin(1000, 1500);
  expect(blobs).toBeWithin(500, 750);
  // All of them are still there.
  expect(answers).toHaveLength(1200);
});

test("what is still answered keeps its place among those, and what is not gives way", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const [used, unused, ...others] = Array.from({ length: 3000 }, () => makeAnswer().identity);
  for (let n = 0; n < 70; n++) for (const answer of [used, unused]) answer?.respond(bytes("kept"));
  for (const other of others) {
    for (let n = 0; n < 70; n++) other.respond(bytes("abc"));
    const answer = used?.respondAtOnce() ?? used?.respond(bytes("later"));
    expect(answer?.status).toBe(200);
  }
  expect(await used?.respondAtOnce()?.text()).toBe("kept");
  expect(unused?.respondAtOnce()).toBeNull();
});
