import { expect, test } from "bun:test";
import { resultOf } from "./send.ts";

test("a response of the API is the deployment or an error", () => {
  expect(resultOf(201, '{"site_name":"blog"}')).toEqual({ site_name: "blog" } as ReturnType<typeof resultOf>);
  expect(() => resultOf(413, '{"detail":"the archive is too large"}')).toThrow("The archive is too large");
});

test("another response has an error which says that the result is unknown", () => {
  expect(() => resultOf(201, "<h1>Welcome to the hotel</h1>")).toThrow("Check the site's history");
  expect(() => resultOf(502, "<h1>Bad gateway</h1>")).toThrow("status 502");
});
