import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { errorPage, unknownHost } from "./error-page.ts";

const ask = (accept?: string) => new Request("http://demo.test/", { headers: accept ? { accept } : {} });

describe("our own pages", () => {
  test.each([400, 404, 405, 410, 412, 414, 416, 451, 500, 503] as const)(
    "%d is a page that asks nobody for anything",
    async (status) => {
      const response = errorPage(ask("text/html"), status, null);
      const html = await response.text();
      expect(response.status).toBe(status);
      expect(html).toContain(`>${status}<`);
      expect(html).not.toMatch(/https?:|src=|href=|url\(|@import/);
    },
  );

  test("their policy lets through their own style and nothing else", async () => {
    const response = errorPage(ask(), 404, null);
    const style = /<style>(.*)<\/style>/s.exec(await response.text())?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toStartWith(
      `default-src 'none'; style-src 'sha256-${hash}'`,
    );
  });

  test.each([
    ["application/json", true],
    ["application/problem+json, */*", true],
    ["text/html, application/json;q=0.9", false],
    ["*/*", false],
  ])("Accept: %s is answered with JSON: %p", async (accept, isJson) => {
    const type = unknownHost(ask(accept)).headers.get("content-type") ?? "";
    expect(type.startsWith("application/json")).toBe(isJson);
  });

  test("those of a private site are kept by nobody and depend on the cookie", () => {
    const { headers } = errorPage(ask(), 404, { private: true, isLive: true });
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["private, no-store", "Accept, Cookie"]);
  });
});
