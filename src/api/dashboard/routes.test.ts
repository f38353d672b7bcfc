import { describe, expect, test } from "bun:test";
import { mount } from "../mount.ts";
import type { RoutePorts } from "../ports.ts";
import { makeLinks } from "../schemas/links.ts";
import { dashboardRoutes } from "./routes.ts";

const links = makeLinks("http://localhost:8080", "sites.example");
const app = mount(dashboardRoutes, { links } as RoutePorts);

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return app.handle(new Request(`http://localhost:8080${path}`, { headers }));
}

async function assetOf(kind: string): Promise<string> {
  const html = await (await get("/")).text();
  return new RegExp(`/assets/[\\w-]+\\.${kind}`).exec(html)?.[0] ?? "";
}

test.each(["/", "/dashboard", "/dashboard/", "/dashboard/sites/blog", "/dashboard/sites/blog/domains"])(
  "%s is the dashboard's page",
  async (path) => {
    const response = await get(path, { accept: "text/html" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toContain('<div id="app">');
  },
);

test("a page has no inline script, no frames, and no requests to other hosts except for images of sites", async () => {
  const policy = (await get("/")).headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: http://*.sites.example:8080",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
  const html = await (await get("/")).text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/);
});

describe("the dashboard's files", () => {
  test.each([
    ["css", "text/css; charset=utf-8"],
    ["js", "text/javascript; charset=utf-8"],
    ["svg", "image/svg+xml"],
  ])("a .%s file has a fingerprint in its name and may be cached forever", async (kind, type) => {
    const response = await get(await assetOf(kind));
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  test.each([
    ["br, gzip, zstd", "br"],
    ["gzip, zstd;q=0.9", "gzip"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.0", null],
    ["", null],
  ])("Accept-Encoding %p gets the encoding %p", async (accepted, coding) => {
    const response = await get(await assetOf("css"), { "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
  });

  test("each encoding has its own ETag, which gets 304", async () => {
    const css = await assetOf("css");
    const tags = await Promise.all(
      ["br", "gzip", ""].map(async (coding) => (await get(css, { "accept-encoding": coding })).headers.get("etag")),
    );
    expect(new Set(tags).size).toBe(3);
    const again = await get(css, { "accept-encoding": "br", "if-none-match": `"other", ${tags[0]}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await get(css, { "if-match": '"other"' })).status).toBe(412);
    expect((await get(css, { "if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT" })).status).toBe(200);
  });

  test("a plain name returns the current file, and is not cached", async () => {
    const plain = await get("/assets/style.css");
    expect(plain.headers.get("cache-control")).toBe("no-cache");
    expect(await plain.text()).toBe(await (await get(await assetOf("css"))).text());
  });

  test("a missing file is a 404 in JSON", async () => {
    const response = await get("/assets/other.js");
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: "there is nothing at /assets/other.js" });
  });

  test("all files together have at most 160 kB compressed", async () => {
    const { bundleDashboard } = await import("./bundle.ts");
    const sizes = bundleDashboard().files.map(({ bodies }) => ((bodies.br ?? bodies.identity).length * 3) / 4);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(160_000);
  });
});
