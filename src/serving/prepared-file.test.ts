import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { BoundedMemo } from "../domain/bounded-memo.ts";
import { parseHeaders } from "../domain/deployments/headers-file.ts";
import type { Route } from "./ports.ts";
import { PreparedFile, type SharedTemplates } from "./prepared-file.ts";
import { compiledFrom } from "./testing/compiled.ts";

const file = { path: "index.html", digest: "ab".repeat(32), size: 3, encodings: {}, isEncoded: true };
const route: Route = {
  host: "demo.test",
  key: "1 0  ",
  siteId: 1,
  siteName: "demo",
  private: false,
  frozen: false,
  deploymentId: 1,
  deploymentNumber: 1,
  publishedAt: 0,
  isLive: true,
  canonicalHost: null,
};

const deployment = compiledFrom({ files: [file], redirects: [], headers: [] });
const shared: SharedTemplates = new BoundedMemo(1);
const makeAnswer = () =>
  new PreparedFile(
    deployment,
    file,
    200,
    { route, canonical: "/", path: "/index.html", scheme: "https", isForPages: false, generation: 7 },
    shared,
  );

test("an answer that is kept holds on to nothing of its deployment", () => {
  const answer = makeAnswer();
  answer.representation("identity");
  const kept = Bun.inspect(answer, { depth: 6 });
  expect(kept).toContain(file.digest);
  expect(kept).not.toMatch(/headerRules|hasForced/);
});

test("the moment of publication is cut to whole seconds, and never lies in the future", () => {
  const published = { ...route, publishedAt: 1999 };
  const { identity } = new PreparedFile(
    deployment,
    file,
    200,
    { route: published, canonical: null, path: "/", scheme: "https", isForPages: false, generation: 7 },
    shared,
  );
  expect(identity.headers().get("last-modified")).toBe("Thu, 01 Jan 1970 00:00:01 GMT");
  expect(identity.lastModified).toBe(1000);
});

test("only what is asked for and sent under a name with a hash is kept for a year", () => {
  const cacheOf = (asked: string, sent: string) => {
    const facts = { route, canonical: null, path: asked, scheme: "https", isForPages: false, generation: 7 };
    return new PreparedFile(deployment, { ...file, path: sent }, 200, facts, shared).templates.whole.headers.get(
      "cache-control",
    );
  };
  expect(cacheOf("/assets/app-Aa1bB2cC.js", "assets/app-Aa1bB2cC.js")).toContain("immutable");
  expect(cacheOf("/base/assets/app-Aa1bB2cC.js", "assets/app-Aa1bB2cC.js")).toContain("immutable");
  expect(cacheOf("/app.js", "assets/app-Aa1bB2cC.js")).toContain("max-age=0");
  expect(cacheOf("/assets/app-Aa1bB2cC.js", "app.js")).toContain("max-age=0");
});

test("answers that share templates are what they would be without", () => {
  const names = ["a.html", "b.html", "ruled.html", "linked.html", "plain.js", "ruled.js", "app-Aa1bB2cC.js"];
  const files = names.map((path) => ({ ...file, path, digest: "cd".repeat(32) }));
  const deploymentWith = (value: string) => {
    const { rules } = parseHeaders(`/ruled*\n  X-Rule: ${value}\n/ruled.js\n  X-Rule: 2\n/linked.html\n  Link: </x>`);
    return compiledFrom({ files, redirects: [], headers: rules });
  };
  const deployments = [deploymentWith("one"), deploymentWith("other")];
  const routes = [
    route,
    { ...route, isLive: false },
    { ...route, private: true, publishedAt: 1e12 },
    { ...route, deploymentId: 2, publishedAt: 2e12 },
  ];
  const answersOf = (templates: () => SharedTemplates) =>
    routes.flatMap((route) =>
      files.flatMap((file) =>
        [200, 404].flatMap((status) =>
          ["/canonical", null].map((canonical) => {
            const asked = {
              route,
              canonical,
              path: `/${file.path}`,
              scheme: "https",
              isForPages: false,
              generation: 7,
            };
            const { identity } = new PreparedFile(
              deployments[route.deploymentId - 1]!,
              file,
              status,
              asked,
              templates(),
            );
            const made = [identity.respond(new Uint8Array(3)), identity.notModified()];
            return made.map(({ status, headers }) => [asked.path, status, ...headers]);
          }),
        ),
      ),
    );
  const alone = answersOf(() => new BoundedMemo(1));
  const together: SharedTemplates = new BoundedMemo(1000);
  expect(answersOf(() => together)).toEqual(alone);
  expect(answersOf(() => together)).toEqual(alone);
  // Three kinds of routes have pages and scripts, both as what was not found too, and scripts with a hash. And each route
  // has pages with a rule and with a link, and scripts with two.
  expect(together.size).toBe(3 * (2 * 2 + 1) + 4 * 2 * 3);
});

test("answers are alike however often they were asked for, and 500 keep what makes the next one quick", () => {
  const seen = new Set<string>();
  const look = ({ identity }: PreparedFile) => {
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
