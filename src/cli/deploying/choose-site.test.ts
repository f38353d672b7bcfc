import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { proposedSite } from "./choose-site.ts";

test.each([
  ["./My Trip", "my-trip"],
  ["/srv/atlas/dist", "atlas"],
  ["/srv/atlas/dist/", "atlas"],
  ["notes.html", "notes"],
  ["site-1.4.ZIP", "site-1-4"],
  ["/dist/public", ""],
])("the site of %p is proposed as %p", (path, name) => {
  expect(proposedSite(resolve(path))).toBe(name);
});
