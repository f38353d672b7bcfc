import { expect, test } from "bun:test";
import { fieldsOf, resultOf } from "./send.ts";

test("a response of the API is the deployment or an error", () => {
  expect(resultOf(201, '{"site_name":"blog"}')).toEqual({ site_name: "blog" } as ReturnType<typeof resultOf>);
  expect(() => resultOf(413, '{"detail":"the archive is too large"}')).toThrow("The archive is too large");
});

test("another response has an error which says that the result is unknown", () => {
  expect(() => resultOf(201, "<h1>Welcome to the hotel</h1>")).toThrow("Check the site's history");
  expect(() => resultOf(502, "<h1>Bad gateway</h1>")).toThrow("status 502");
});

const plain = { siteName: "blog", access: null, message: "", preview: null };

test.each<[string, Parameters<typeof fieldsOf>[0], Record<string, string>]>([
  ["a new site with a generated name", { ...plain, siteName: "" }, {}],
  ["a site", plain, { "X-Service-Site": "blog" }],
  ["a private site", { ...plain, access: "private" }, { "X-Service-Site": "blog", "X-Service-Access": "private" }],
  ["a message", { ...plain, message: " Grüße " }, { "X-Service-Site": "blog", "X-Service-Message": "Gr%C3%BC%C3%9Fe" }],
  [
    "a preview",
    { ...plain, preview: { alias: " ", lifetime: "14d" } },
    { "X-Service-Site": "blog", "X-Service-Activate": "no", "X-Service-Expires": "14d" },
  ],
  [
    "a preview with an alias",
    { ...plain, preview: { alias: "my staging", lifetime: "1d" } },
    { "X-Service-Site": "blog", "X-Service-Alias": "my%20staging", "X-Service-Expires": "1d" },
  ],
])("%s is sent with its header fields", (_, planned, fields) => {
  expect(fieldsOf(planned)).toEqual(fields);
});
