import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type Brand, PLAIN, setBrand } from "./brand.ts";
import { contrastOf } from "./contrast.ts";
import { frozenSite, unknownHost } from "./error-page.ts";
import { respondWithLogo } from "./render.ts";

afterEach(() => setBrand(PLAIN));

const ask = () => new Request("http://demo.test/", { headers: { accept: "text/html" } });
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>';
const BRAND: Brand = {
  name: "Müller & <Söhne>",
  color: "#ffee00",
  logo: { type: "image/svg+xml", base64: Buffer.from(SVG).toString("base64") },
  contact: "mailto:help@example.org?subject=a&body='b'",
};

describe("a page with a brand", () => {
  test("shows name, logo and contact, escaped", async () => {
    setBrand(BRAND);
    const html = await unknownHost(ask()).text();
    expect(html).toContain("Müller &#38; &#60;Söhne&#62; · ");
    expect(html).toContain('href="mailto:help@example.org?subject=a&#38;body=&#39;b&#39;"');
    expect(html).toMatch(/<img class="logo" src="\/\.vitrine\/logo\?v=[\da-f]{8}" alt="Müller/);
    expect(html).not.toContain("Hosted with Vitrine");
  });

  test("has a policy for its own style and the logo only, and no script", async () => {
    setBrand(BRAND);
    const response = frozenSite(ask());
    const html = await response.text();
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; form-action 'none'`,
    );
    expect(html).not.toContain("<script");
  });

  test("has a readable colour in light and dark mode", async () => {
    setBrand(BRAND);
    const html = await unknownHost(ask()).text();
    const [, light = "", dark = ""] = /--brand:light-dark\((#\w+),(#\w+)\)/.exec(html) ?? [];
    expect(contrastOf(light, "#fafafb")).toBeGreaterThanOrEqual(4.5);
    expect(dark).toBe("#ffee00");
  });

  test("has less than 10 kB with the longest values", async () => {
    const longest = { ...BRAND, name: "&".repeat(60), contact: `https://example.org/${"a".repeat(480)}` };
    setBrand(longest);
    expect(Buffer.byteLength(await unknownHost(ask()).text())).toBeLessThan(10_000);
  });

  test("has defaults for what is not set", async () => {
    const before = await unknownHost(ask()).text();
    setBrand({ ...PLAIN, contact: "https://example.org/" });
    const html = await unknownHost(ask()).text();
    expect(html).toBe(
      before.replace("Hosted with Vitrine", 'Hosted with Vitrine · <a href="https://example.org/">Contact</a>'),
    );
  });
});

test("the logo is served with a policy that forbids scripts, and is 404 if not set", async () => {
  expect(respondWithLogo().status).toBe(404);
  setBrand(BRAND);
  const response = respondWithLogo();
  expect(await response.text()).toBe(SVG);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/svg+xml",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=86400",
  });
});
