import { expect, test } from "bun:test";
import type { StoredFile } from "../domain/ports/store/files.ts";
import { heldMebibytes } from "../testing/held-memory.ts";
import { compileWholeManifest } from "./deployments.ts";
import type { Route } from "./ports.ts";
import { PreparedFile } from "./prepared-file.ts";

const file = {
  path: "index.html",
  digest: "ab".repeat(32),
  size: 3,
  encodings: {},
  isEncoded: true,
  isLegacyText: false,
};
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
  graceMs: 0,
  target: "",
  isPreview: false,
  absent: null,
  canonicalHost: null,
  movedTo: null,
};

const deployment = compileWholeManifest({ files: [file], redirects: [], headers: [] });

/** Prepares the file `sent` as the response for the path `asked`. */
function prepared({
  sent = file.path,
  requested = "/index.html",
  publishedAt = 0,
  encodings = {} as StoredFile["encodings"],
} = {}): PreparedFile {
  const resolution = {
    kind: "file",
    file: { ...file, path: sent, encodings },
    status: 200,
    canonical: "/",
    step: "exact_file",
    rule: null,
  } as const;
  const visit = { route: { ...route, publishedAt }, path: requested, decodedPath: requested };
  return new PreparedFile(deployment, resolution, visit, { scheme: "https", generation: 7 });
}

test("a prepared file does not refer to its deployment", () => {
  const kept = Bun.inspect(prepared(), { depth: 6 });
  expect(kept).toContain(file.digest);
  expect(kept).not.toMatch(/headerRules|hasForced/);
});

test("the time of publication is truncated to seconds, and never in the future", () => {
  const { identity } = prepared({ publishedAt: 1999 });
  expect(identity.headers().get("last-modified")).toBe("Thu, 01 Jan 1970 00:00:01 GMT");
  expect(identity.lastModified).toBe(1000);
});

test("a file is cached for a year only if the requested and the sent path have a hash", () => {
  const cacheOf = (requested: string, sent: string) =>
    prepared({ requested, sent }).identity.headers().get("cache-control");
  expect(cacheOf("/assets/app-Aa1bB2cC.js", "assets/app-Aa1bB2cC.js")).toContain("immutable");
  expect(cacheOf("/base/assets/app-Aa1bB2cC.js", "assets/app-Aa1bB2cC.js")).toContain("immutable");
  expect(cacheOf("/app.js", "assets/app-Aa1bB2cC.js")).toContain("max-age=0");
  expect(cacheOf("/assets/app-Aa1bB2cC.js", "app.js")).toContain("max-age=0");
});

test("a change of one response does not affect the next", () => {
  const { identity } = prepared();
  for (const respond of [() => identity.respond(new Blob(["abc"])), () => identity.notModified()]) {
    respond().headers.set("x-changed", "1");
    identity.headers().set("x-changed", "1");
    expect(respond().headers.get("x-changed")).toBeNull();
  }
});

test("a prepared file with all representations takes about the memory that it declares", async () => {
  let said = 0;
  const held = await heldMebibytes(() =>
    Array.from({ length: 20_000 }, (_, n) => {
      const encoded = (coding: string) => ({ digest: `${n}${coding}`.padEnd(64, "0"), size: n });
      const encodings = { zstd: encoded("a"), br: encoded("b"), gzip: encoded("c") };
      const one = prepared({ requested: `/page-${n}`, encodings });
      for (const encoding of ["identity", "zstd", "br", "gzip"] as const) one.representation(encoding).notModified();
      said += one.bytes / 1024 ** 2;
      return one;
    }),
  );
  expect(held).toBeWithin(said / 4, said * 2);
});
