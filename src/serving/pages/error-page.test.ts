import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { errorPage, unknownHost } from "./error-page.ts";

const ask = (accept?: string) => new Request("http://demo.test/", { headers: accept ? { accept } : {} });

describe("the server's own pages", () => {
  test.each([400, 404, 405, 410, 412, 414, 416, 451, 500, 503] as const)(
    "%d is a page without external requests",
    async (status) => {
      const response = errorPage(ask("text/html"), status, null);
      const html = await response.text();
      expect(response.status).toBe(status);
      expect(html).toContain(`>${status}<`);
      expect(html).not.toMatch(/https?:|src=|href=|url\(|@import/);
    },
  );

  test("have a policy that allows their own style only", async () => {
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
  ])("with Accept: %s are JSON: %p", async (accept, isJson) => {
    const type = unknownHost(ask(accept)).headers.get("content-type") ?? "";
    expect(type.startsWith("application/json")).toBe(isJson);
  });

  test("of a private site are not cached and vary by cookie", () => {
    const { headers } = errorPage(ask(), 404, { private: true, isLive: true });
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["private, no-store", "Accept, Cookie"]);
  });
});
