import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { IdentityProvider } from "../../domain/ports/identity.ts";
import { PLAIN, setBrand } from "../../serving/pages/brand.ts";
import { bundleDashboard } from "../dashboard/bundle.ts";
import { page } from "./page.ts";
import { signInPage } from "./sign-in.ts";

afterEach(() => setBrand(PLAIN));

const LOGO = { type: "image/png", base64: btoa("image") };
const CONTACT = "mailto:help@example.org?subject=a&body='b'";

const provider = { method: "password" } as IdentityProvider;
const purpose = { kind: "site", host: `${"a".repeat(63)}.example.org` } as const;
const passkeys = { problem: null, elsewhere: null };
const body = signInPage({ provider, returnTo: "/visit", purpose, problem: null, hasAccounts: true, passkeys });
const signIn = () => page({ title: "Sign in", body, script: "passkey-sign-in.js" });
const policyOf = (response: Response) => response.headers.get("content-security-policy") ?? "";

test("a page without a brand has the mark of Vitrine, no inline style and no footer", async () => {
  const response = signIn();
  expect(policyOf(response)).toContain("style-src 'self';");
  expect(policyOf(response)).toContain("connect-src 'self';");
  expect(policyOf(page({ title: "Link", body }))).not.toContain("connect-src");
  const text = await response.text();
  expect(text).toContain('alt="Vitrine"');
  expect(text).toContain("<title>Sign in · Vitrine</title>");
  expect(text).not.toMatch(/<style|<footer/);
});

test("a page has the operator's name, logo and contact, escaped", async () => {
  setBrand({ ...PLAIN, name: "Müller & <Söhne>", logo: LOGO, contact: CONTACT });
  const text = await signIn().text();
  expect(text).toContain("<title>Sign in · Müller &#38; &#60;Söhne&#62;</title>");
  expect(text).toMatch(/<img class="logo" src="\/\.vitrine\/logo\?v=[\da-f]{8}" alt="Müller &#38; &#60;Söhne&#62;"/);
  expect(text).toContain('<a href="mailto:help@example.org?subject=a&#38;body=&#39;b&#39;">Contact</a>');
  expect(text).not.toContain("Vitrine");
});

test("without a logo, a page begins with the operator's name", async () => {
  setBrand({ ...PLAIN, name: "Example Hosting" });
  expect(await signIn().text()).toContain('<header class="mark"><strong>Example Hosting</strong></header>');
});

test("the policy allows the operator's colour and no other inline style", async () => {
  setBrand({ ...PLAIN, color: "#ffee00" });
  const response = signIn();
  const [, style = ""] = /<style>(.*)<\/style>/.exec(await response.text()) ?? [];
  expect(style).toContain("--accent:light-dark(#");
  const hash = createHash("sha256").update(style).digest("base64");
  expect(policyOf(response)).toContain(`style-src 'self' 'sha256-${hash}';`);
});

test("the sign-in page has less than 10 kB, with everything that it loads but the logo", async () => {
  setBrand({ name: "&".repeat(60), color: "#ffee00", logo: LOGO, contact: `https://example.org/${"a".repeat(480)}` });
  const { paths, files } = bundleDashboard();
  const sizes = ["framed.css", "theme.js", "passkey-sign-in.js", "icon.svg"].map((name) => {
    const bodies = files.find(({ path }) => path === paths[name])?.bodies;
    return Buffer.from(bodies?.br ?? bodies?.identity ?? "", "base64").length;
  });
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  const own = Buffer.byteLength(await signIn().text());
  expect(sizes.reduce((sum, size) => sum + size, own)).toBeLessThan(10_000);
});
