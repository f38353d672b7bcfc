import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllHeaders } from "@netlify/headers-parser";
import { parseAllRedirects } from "@netlify/redirect-parser";
import redirector from "netlify-redirector";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { parseHeaders } from "./headers-file.ts";
import { compileRedirects } from "./redirect-matcher.ts";
import { parseRedirects } from "./redirects-file.ts";

// Compares with Netlify's own parsers and matcher. Differences are listed here, and in docs/rules.md for users.

async function inFile<T>(name: string, text: string, use: (file: string) => Promise<T>): Promise<T> {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return use(file);
}

/** A rule of either parser. Netlify's calls the path `path`. */
interface Rule {
  readonly from?: string;
  readonly path?: string;
  readonly to?: string;
  readonly status?: number;
  readonly force?: boolean;
  readonly query?: object;
}

/** Files as in documentation sites, single-page applications and migrations from other hosts. */
const FILES = {
  "a single-page application": "/api/*  /404.html  404\n/*    /index.html   200\n",
  "a blog that moved": `# old addresses
/feed        /rss.xml                 301
/blog/*      /posts/:splat            301!
/:year/:month/:slug  /posts/:year-:month-:slug 302
/authors/:name/* /people/:name
/about/      /team                    308
/store       id=:id  /products/:id    301
/search      q=:q lang=de  /suche/:q  302
/chat        https://chat.example.com/room?from=site 302
/gone        /gone.html               410
`,
  "documentation with versions": `/docs/latest/*   /docs/v3/:splat   302
/docs/v1/*       /docs/v2/:splat   301
/docs            /docs/latest/     307
/ /docs 303
`,
  "a site that moves into folders": `/docs/* /docs/v1/:splat
/blog/* /blog/posts/:splat 302
/news* /archive/:splat
/item id=:id /items/:id
/* /en/:splat 302
`,
};

describe.each(Object.entries(FILES))("_redirects of %s", (_, text) => {
  test("are parsed like by Netlify's parser", async () => {
    const options = { configRedirects: [], minimal: true };
    const theirs = await inFile("_redirects", text, (file) =>
      parseAllRedirects({ redirectsFiles: [file], ...options }),
    );
    const ours = parseRedirects(text);
    const shape = (rule: Rule) => ({
      from: rule.from ?? rule.path,
      to: rule.to,
      status: rule.status ?? 301,
      force: rule.force ?? false,
      query: { ...rule.query },
    });
    expect(ours.rules.map(shape)).toEqual((theirs.redirects as Rule[]).map(shape));
    const unparsed = ours.warnings.filter(({ message }) => !message.startsWith("never applies"));
    expect(unparsed).toHaveLength(theirs.errors.length);
  });
});

const PATHS = ["/", "/feed", "/feed/", "/blog", "/blog/a", "/blog/a/b", "/blogger", "/2024/05/x", "/2024/05"];
const MORE_PATHS = [
  "/authors/ada/x/y",
  "/authors/ada",
  "/blog/a/",
  "/store?id=7",
  "/store",
  "/search?q=a&lang=de",
  "/search?q=a",
];
const LAST_PATHS = ["/chat", "/gone", "/docs", "/docs/", "/docs/v1/a", "/docs/latest/a/b", "/api/x", "/FEED"];
const MOVED_PATHS = [
  "/docs/v1/a",
  "/docs/v1",
  "/blog/posts/z",
  "/en/x",
  "/en",
  "/en/",
  "/news/x/",
  "/news",
  "/item?id=a%2Fb",
  "/docs/v2%2Fa/b",
  "/authors/a%2Fb",
  "/blog/a%2Fb",
];

describe.each(Object.entries(FILES))("requests under _redirects of %s", (_, text) => {
  test.each([...PATHS, ...MORE_PATHS, ...LAST_PATHS, ...MOVED_PATHS])(
    "%s is matched like by Netlify's matcher",
    async (target) => {
      expect(await targetOf(text, target)).toEqual(await theirWay(text, target));
    },
  );
});

/** Returns the target of a request without its own query, which both pass on. */
async function targetOf(text: string, target: string) {
  const [path = "", query] = target.split(/(?=\?)/);
  const match = compileRedirects(parseRedirects(text).rules).match(path, query ?? "");
  if (match === null) return null;
  const to = match.kind === "redirect" ? withoutEnd(match.location, query ?? "") : match.path;
  return { to, status: match.rule.status };
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text;
}

async function theirWay(text: string, target: string) {
  const [path = "", query = ""] = target.split("?");
  const matcher = await redirector.parsePlain(text, {});
  const request = { scheme: "http", host: "x.test", path, query, headers: {}, cookieValues: {} };
  const match = matcher.match({ ...request, getHeader: () => "", getCookie: () => "" });
  return match && { to: match.to, status: match.status };
}

describe("intended differences from Netlify", () => {
  test.each([
    ["percent-escapes are compared decoded", "/caf%C3%A9 /x", "/café", { to: "/x", status: 301 }, null],
    ["a redirect to the same URL is passed over", "/about/ /about", "/about", null, { to: "/about", status: 301 }],
    [
      "nobody is led to //host",
      "/old/* /:splat",
      "/old//evil.test",
      { to: "/evil.test", status: 301 },
      { to: "//evil.test", status: 301 },
    ],
    [
      "only paths in the target's folder are not redirected there again",
      "/* /en/:splat 302",
      "/english",
      { to: "/en/english", status: 302 },
      null,
    ],
    [
      "nobody is led to a host that is none",
      "/go/:t https://:t.test/",
      "/go/a:b",
      null,
      { to: "https://a:b.test/", status: 301 },
    ],
    [
      "of a doubled parameter the first counts",
      "/p id=:id /q/:id",
      "/p?id=1&id=2",
      { to: "/q/1", status: 301 },
      { to: "/q/2", status: 301 },
    ],
    [
      "a + in a query is a space",
      "/p id=:id /q/:id",
      "/p?id=a+b",
      { to: "/q/a%20b", status: 301 },
      { to: "/q/a+b", status: 301 },
    ],
    ["an empty parameter is one", "/p q= /x", "/p?q=", { to: "/x", status: 301 }, null],
    ["a parameter without a value is empty", "/p q=:q /x", "/p?q", { to: "/x", status: 301 }, null],
    ["an empty segment is no placeholder's", "/:a/:b /x/:a/:b", "/a//b", null, { to: "/x/a/b", status: 301 }],
    ["a status that is no rule's leaves the rule out", "/a /b 403", "/a", null, { to: "/b", status: 403 }],
    ["a * stands at the end alone", "/a/*/b /x/:splat", "/a/1/b", null, { to: "/x/1", status: 301 }],
  ])("%s", async (_, rule, path, ours, theirs) => {
    expect(await targetOf(rule, path)).toEqual(ours);
    expect(await theirWay(rule, path)).toEqual(theirs);
  });

  test.each(["/a /b 301 word", "/p q /x"])("%s is ignored with a warning, where Netlify gives none", async (rule) => {
    const { rules, warnings } = parseRedirects(rule);
    expect([rules.length, warnings.length]).toEqual([0, 1]);
    expect([await theirWay(rule, "/a"), await theirWay(rule, "/p?q")]).toEqual([null, null]);
  });
});

describe("_headers", () => {
  const text = `# everything
/*
  X-Frame-Options: DENY
  X-Robots-Tag: noindex
  X-Robots-Tag: nofollow
/assets/*
  Cache-Control: public, max-age=31536000
  Access-Control-Allow-Origin: *
/docs/:page
  Link: </style.css>; rel=preload; as=style
nonsense
`;

  test("are parsed like by Netlify's parser", async () => {
    const theirs = await inFile("_headers", text, (file) =>
      parseAllHeaders({ headersFiles: [file], configHeaders: [], minimal: true }),
    );
    const ours = parseHeaders(text).rules.map(({ path, set }) => {
      const values: Record<string, string> = {};
      for (const [name, value] of set) values[name] = values[name] === undefined ? value : `${values[name]}, ${value}`;
      return { for: path, values };
    });
    const lower = (values: Record<string, string>) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
    expect(ours).toEqual(theirs.headers.map((rule) => ({ for: rule.for, values: lower(rule.values) })));
  });
});
