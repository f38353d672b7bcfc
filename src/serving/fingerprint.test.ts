import { describe, expect, test } from "bun:test";
import { isFingerprinted, mayBeFingerprinted } from "./fingerprint.ts";
import { contentType, looksLikeAsset } from "./http/content-type.ts";

describe("names with a hash", () => {
  test.each([
    ["Vite", "assets/index-DiwrgTda.js"],
    ["Vite", "assets/index-C3uX_9bQ.css"],
    ["Vite, divided", "assets/index-Bq_kdjw9.js"],
    ["Vite, divided", "assets/index-b_D8f-Qa.js"],
    ["Vite, divided", "assets/index-_Dqtwslc.js"],
    ["Vite", "assets/logo-BMdX2-0k.svg"],
    ["Vite 3", "assets/index.4f3a2b1c.js"],
    ["webpack", "main.8f3b2c1d9e0a11223344.js"],
    ["webpack", "static/js/2.5b1e4f3d.chunk.js"],
    ["webpack", "static/js/main.abcd1234.js.map"],
    ["webpack", "8f3b2c1d9e0a11223344.png"],
    ["webpack, without a digit", "app.deadbeef.js"],
    ["webpack, without a letter", "main.73519846.css"],
    ["Astro", "_astro/index.BX8kRp2a.css"],
    ["Astro", "_astro/photo.CkX2ps0k_Z1abcD.webp"],
    ["Next", "_next/static/chunks/main-app-3a2b1c4d5e6f7a8b.js"],
    ["Next", "_next/static/wPOsKqCO3h6/_buildManifest.js"],
    ["Next", "docs/_next/static/media/a34f9d1faa5f3315-s.p.woff2"],
    ["Hugo", "css/main.min.7ba75d7ceb9ef5cd6e0c0a4b3d3b2d5e0b7f1f2b3a4c5d6e7f8091a2b3c4d5e6.css"],
    ["Hugo", "js/main.0cc175b9c0f1b6a831c399e269772661.js"],
    ["Hugo", "posts/photo_hu_2a3b4c5d6e7f8a9b.jpg"],
    ["Hugo", "posts/photo_hu3f2a1b0c9d8e7f605142332415060708_12345_600x0_resize_q75_box.jpg"],
    ["esbuild", "app-5VKQ3ZTL.js"],
    ["esbuild", "chunk-ABCDEFGH.js"],
    ["Nuxt", "_nuxt/DlAUqK2U.js"],
    ["SvelteKit", "_app/immutable/entry/start.js"],
    ["Docusaurus", "assets/js/1be78505.f2a3b4c5.js"],
    ["Gatsby", "component---src-pages-index-js-0f1e2d3c4b5a69788796.js"],
    ["VitePress", "assets/guide_intro.md.Bq1-x9Zk.lean.js"],
    ["Rollup, the hash alone", "dist/chunks/C2dVqG0l.js"],
    ["VitePress", "assets/chunks/framework.CJKaa2Bq.js"],
    ["Vite, without a digit", "assets/index-CRdGGbAw.js"],
    ["Vite, without a digit", "assets/index-CqOZZZ_-.css"],
    ["Vite, like a word", "assets/index-Dqtwslcz.js"],
    ["Nuxt, like a word", "_nuxt/Bxxqwert.js"],
    ["Nuxt", "_nuxt/error-404.D3bJ1xQq.css"],
    ["Trunk", "app-4f3a2b1c1d2e3f40_bg.wasm"],
    ["Blazor", "_framework/blazor.webassembly.6sm5t3h2wq.js"],
    ["Blazor", "_framework/dotnet.native.8v3ck2b1nd.wasm"],
    ["Create React App", "static/media/logo.6ce24c58.svg"],
    ["Angular", "media/roboto-5VKQ3ZTL.woff2"],
  ])("%s: %s", (_, path) => {
    expect(isFingerprinted(path)).toBe(true);
  });

  test.each([
    "index.html",
    "assets/page-DiwrgTda.html",
    "assets/page-DiwrgTda.shtml",
    "assets/page-DiwrgTda.xht",
    "my-document.js",
    "assets/my-document.js",
    "report-20241231.pdf",
    "photo-FullSize.jpg",
    "assets/photo-FullSize.jpg",
    "js/bootstrap.min.js",
    "jquery-3.7.1.min.js",
    "assets/logo.svg",
    "app.js",
    "main.css",
    "sitemap-0a1b2c3d.xml",
    "deadbeef.js",
    "release-20241231.css",
    "photo-73519846.jpg",
    "_nuxt/builds/latest.json",
    "images/IMG_20240131.jpg",
    "fonts/roboto-v30-latin.woff2",
    "download-version2.zip",
    "v1-deadline.css",
    "service-worker.js",
    "noextension-4f3a2b1c",
    "Component-Document.js",
    "img/og-1200x630.png",
    "assets/photo-1024x768.jpg",
    "_nuxt/builds/meta.js",
    "assets/screenshot-1280x720.png",
    "img/a-800x1200.webp",
    "report-2024q1v2.pdf",
    "report-2024Q1v2.pdf",
    "price-list-2025rev3.pdf",
    "ISO-27001abc.pdf",
    "v-2h30m15s.mp4",
    "menu-5may2025.pdf",
    "menu-5May2025.pdf",
    "menu-5dec2025.pdf",
    "assets/menu-2024feb5.pdf",
    "minutes-3mar2025.pdf",
    "agenda-2026jan1.pdf",
    "protocol-20240101a.js",
    "show-s01e02v3.mp4",
    "lesson-01part02.mp3",
    "results-2024h1h2.csv",
    "setup-win32x64.exe",
    "assets/photo-iPhone12.jpg",
    "assets/photo-iPhone6s.jpg",
    "flyer-SUMMER25.jpg",
    "assets/fonts/Inter-SemiBold.woff2",
    "fonts/Roboto-EXTENDED.ttf",
    "js/DataGrid.js",
    "js/Vector3D.js",
    "dist/Vector3D.js",
    "assets/DataGrid.js",
    "assets/C2dVqG0l.png",
    "assets/jquery.DataGrid.js",
    "assets/theme-jQueryUI.css",
    "assets/photo-HiRes_2x.jpg",
    "media/poster-SUMMER25.jpg",
    "assets/theme-Dark_One.css",
    "assets/page-Main_Nav.js",
    "assets/page-NavBar_2.js",
    "assets/page-My_App_2.js",
    "build/lang-zh_Hant2.js",
    "build/lang-pt-BR_v2.js",
    "assets/messages-en_US_v2.js",
    "assets/photo-en_US_v2.png",
    "dist/app.My_Forms.js",
    "_framework/blazor.webassembly.js",
    "_framework/Shop.components.wasm",
    "_framework/Shop.component2.wasm",
  ])("without %s", (path) => {
    expect(isFingerprinted(path)).toBe(false);
  });

  test("a name longer than a file system allows has none, and is not searched", () => {
    // Searching again from every dot would take a minute.
    expect(isFingerprinted(`/${".js".repeat(100_000)}!.js`)).toBe(false);
    expect(isFingerprinted(`${"a".repeat(243)}.8f3b2c1d.js`)).toBe(true);
    expect(isFingerprinted(`${"a".repeat(244)}.8f3b2c1d.js`)).toBe(false);
  });
});

const HEX = "0123456789abcdef";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The names of build tools. Each `#` is a character of the hash. */
const PATTERNS: readonly [tool: string, pattern: string, alphabet: string][] = [
  ["Vite", "assets/index-########.js", BASE64URL],
  ["Vite", "assets/index-########.css", BASE64URL],
  ["Vite", "assets/logo-########.svg", BASE64URL],
  ["Vite", "assets/inter-########.woff2", BASE64URL],
  ["Vite 3", "assets/index.########.js", HEX],
  ["Rollup", "index-########.js", BASE64URL],
  ["Rollup", "chunks/########.js", BASE64URL],
  ["Rollup", "worker-########.js.map", BASE64URL],
  ["VitePress", "assets/guide.md.########.lean.js", BASE64URL],
  ["webpack", "main.####################.js", HEX],
  ["webpack", "########.js", HEX],
  ["webpack", "####################.png", HEX],
  ["Create React App", "static/js/2.########.chunk.js", HEX],
  ["Create React App", "static/media/logo.####################.svg", HEX],
  ["esbuild", "chunk-########.js", BASE32],
  ["esbuild", "logo-########.png", BASE32],
  ["esbuild", "inter-########.woff2", BASE32],
  ["Angular", "main-########.js", BASE32],
  ["Angular", "media/roboto-########.woff2", BASE32],
  ["Angular 16", "main.################.js", HEX],
  ["Next.js", "_next/static/chunks/app/page-################.js", HEX],
  ["Next.js", "_next/static/#####################/_ssgManifest.js", BASE64URL],
  ["Next.js", "_next/static/media/################-s.p.woff2", HEX],
  ["Turbopack", "_next/static/chunks/#############.css", BASE64URL],
  ["Parcel", "index.########.js", HEX],
  ["Parcel", "logo.########.png", HEX],
  ["Astro", "_astro/index.########.css", BASE64URL],
  ["Astro", "_astro/photo.########_######.webp", BASE64URL],
  ["Nuxt", "_nuxt/########.js", BASE64URL],
  ["Nuxt", "_nuxt/entry.########.css", BASE64URL],
  ["SvelteKit", "_app/immutable/chunks/########.js", BASE64URL],
  ["SvelteKit", "_app/immutable/entry/start.########.js", BASE64URL],
  ["Gatsby", "component---src-pages-index-js-####################.js", HEX],
  ["Gatsby", "static/logo-################################.png", HEX],
  ["Docusaurus", "assets/js/1be78505.########.js", HEX],
  ["Hugo", "css/main.min.################################################################.css", HEX],
  ["Hugo", "posts/photo_hu_################.jpg", HEX],
  ["Bun", "index-########.js", BASE36],
  ["Blazor", "_framework/blazor.webassembly.##########.js", BASE36],
  ["Trunk", "app-################_bg.wasm", HEX],
  ["Expo", "_expo/static/js/web/entry-################################.js", HEX],
  ["Ember", "assets/vendor-################################.js", HEX],
  ["Stencil", "build/p-########.entry.js", HEX],
  ["Qwik", "build/q-########.js", BASE64URL],
];

/** Fills a pattern with characters from a generator with a fixed seed, so that the test is the same in each run. */
function namesOf(pattern: string, alphabet: string, count: number): string[] {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)] as string;
  };
  return Array.from({ length: count }, () => pattern.replace(/#/g, draw));
}

describe("names that may contain a hash", () => {
  test.each(PATTERNS)("%s: %s is always recognized", (_, pattern, alphabet) => {
    expect(namesOf(pattern, alphabet, 20_000).filter((name) => !mayBeFingerprinted(name))).toEqual([]);
  });

  test.each([
    "assets/index-document.js",
    "assets/inter-deadline.woff2",
    "_app/immutable/entry/app.js",
    "photo-20241231.jpg",
  ])("%s may have one", (path) => {
    expect(mayBeFingerprinted(path)).toBe(true);
  });

  test.each([
    "index.html",
    "assets/page-DiwrgTda.html",
    "_next/static/page-DiwrgTda.xhtml",
    "app.js",
    "assets/logo.svg",
    "main.min.css",
    "users/DiwrgTda",
    "assets-DiwrgTda/app.js",
    `${"a".repeat(250)}.DiwrgTda.js`,
  ])("%s has none", (path) => {
    expect(mayBeFingerprinted(path)).toBe(false);
  });

  test.each<[string, string, number]>([
    ["assets/index-########.js", BASE64URL, 0.08],
    ["chunks/########.js", BASE64URL, 0.08],
    ["assets/logo-########.png", BASE64URL, 0.25],
    ["main-########.js", BASE32, 0],
    ["main.####################.js", HEX, 0.001],
    ["_nuxt/########.js", BASE64URL, 0.002],
    ["_astro/index.########.css", BASE64URL, 0],
  ])("few hashes of %s are missed because they look like a word", (pattern, alphabet, share) => {
    const missed = namesOf(pattern, alphabet, 20_000).filter((name) => !isFingerprinted(name));
    expect(missed.length / 20_000).toBeLessThanOrEqual(share);
  });
});

describe("media types", () => {
  test.each([
    ["index.html", "text/html; charset=utf-8"],
    ["a.css", "text/css; charset=utf-8"],
    ["a.js", "text/javascript; charset=utf-8"],
    ["a.mjs", "text/javascript; charset=utf-8"],
    ["a.cjs", "text/javascript; charset=utf-8"],
    ["a.json", "application/json"],
    ["a.svg", "image/svg+xml"],
    ["a.wasm", "application/wasm"],
    ["a.webp", "image/webp"],
    ["a.woff2", "font/woff2"],
    ["a.webmanifest", "application/manifest+json"],
    ["A.HTML", "text/html; charset=utf-8"],
    ["a.unheard-of", "application/octet-stream"],
    ["LICENSE", "application/octet-stream"],
    ["html", "application/octet-stream"],
    ["bin/js", "application/octet-stream"],
    ["apple-app-site-association", "application/json"],
    [".well-known/apple-app-site-association", "application/json"],
    ["docs/apple-app-site-association", "application/octet-stream"],
  ])("%s is %s", (path, type) => {
    expect(contentType(path)).toBe(type);
  });

  test.each([
    ["/app.js", true],
    ["/img/a.PNG", true],
    ["/feed.xml", true],
    ["/about", false],
    ["/about.html", false],
    ["/users/jane.doe", false],
    ["/v1.2/guide", false],
    ["/", false],
    ["/u/joe@gmail.com", false],
    ["/d/example.org", false],
    ["/d/vitrine.ai", false],
    ["/d/twitch.tv", false],
    ["/d/example.com.br", false],
    ["/p/org.example.app", false],
    ["/p/org.example.so", false],
    ["/releases/1.2.3", false],
    ["/p/node.js", true],
    ["/a/b.map", true],
    ["/a/b.wasm", true],
    ["/a/b.woff2", true],
    ["/a/b.pdf", true],
    ["/a/b.tar.gz", true],
    ["/a/b.json", true],
    ["/a/b.mp4", true],
    ["/a/b.md", true],
    ["/js", false],
    ["/js/", false],
    ["/releases/1.2.210", false],
    ["/d/example.com.au", false],
    ["/d/example.movie", false],
    ..."wmv aif aiff flv f4v m4b mka jp2 tga dds exr djvu dae fbx ktx 3ds dll pdb unityweb mvt xlsm mobi ts mov eot"
      .split(" ")
      .map((extension): [string, boolean] => [`/a/b.${extension}`, true]),
  ])("%s looks like an asset: %p", (path, is) => {
    expect(looksLikeAsset(path)).toBe(is);
  });
});
