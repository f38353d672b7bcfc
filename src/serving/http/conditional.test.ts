import { describe, expect, test } from "bun:test";
import { evaluateConditions, ifRangeMatches, parseHttpDate } from "./conditional.ts";

const lastModified = Date.UTC(2026, 10, 20, 12, 0, 0);
const validators = { etag: '"abc-br"', lastModified };
const SAME = "Fri, 20 Nov 2026 12:00:00 GMT";
const BEFORE = "Fri, 20 Nov 2026 11:59:59 GMT";
const AFTER = "Fri, 20 Nov 2026 12:00:01 GMT";

describe("conditional requests", () => {
  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ "if-none-match": '"abc-br"' }, 304],
    [{ "if-none-match": 'W/"abc-br"' }, 304],
    [{ "if-none-match": '"x", W/"y" , "abc-br"' }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"abc"' }, 200],
    [{ "if-none-match": "abc-br" }, 200],
    [{ "if-none-match": "" }, 200],
    [{ "if-modified-since": SAME }, 304],
    [{ "if-modified-since": AFTER }, 304],
    [{ "if-modified-since": BEFORE }, 200],
    [{ "if-modified-since": "yesterday" }, 200],
    [{ "if-modified-since": "2026-11-20T12:00:00Z" }, 200],
    [{ "if-match": '"abc-br"' }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": 'W/"abc-br"' }, 412],
    [{ "if-match": '"other"' }, 412],
    [{ "if-unmodified-since": SAME }, 200],
    [{ "if-unmodified-since": BEFORE }, 412],
    [{ "if-unmodified-since": "nonsense" }, 200],
  ])("%j: %d", (conditions, status) => {
    expect(evaluateConditions(new Headers(conditions), validators)).toBe(status as 200);
  });

  test.each<[string, Record<string, string>, number]>([
    ["If-Match before If-Unmodified-Since", { "if-match": '"abc-br"', "if-unmodified-since": BEFORE }, 200],
    ["If-Match before If-None-Match", { "if-match": '"no"', "if-none-match": '"abc-br"' }, 412],
    ["If-Match that holds, then If-None-Match", { "if-match": '"abc-br"', "if-none-match": '"abc-br"' }, 304],
    ["If-None-Match before If-Modified-Since", { "if-none-match": '"no"', "if-modified-since": AFTER }, 200],
    [
      "If-Unmodified-Since before If-Modified-Since",
      { "if-unmodified-since": BEFORE, "if-modified-since": AFTER },
      412,
    ],
  ])("precedence: %s", (_, conditions, status) => {
    expect(evaluateConditions(new Headers(conditions), validators)).toBe(status as 200);
  });

  test("conditions on dates are ignored for a representation without a date", () => {
    for (const name of ["if-modified-since", "if-unmodified-since"])
      expect(evaluateConditions(new Headers({ [name]: BEFORE }), { etag: '"abc"', lastModified: null })).toBe(200);
  });

  test.each([
    [null, true],
    ['"abc-br"', true],
    ['W/"abc-br"', false],
    ['"other"', false],
    [SAME, false],
    [AFTER, false],
    ["nonsense", false],
  ])("If-Range %p matches: %p", (header, matches) => {
    expect(ifRangeMatches(header, validators)).toBe(matches);
  });

  test.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sunday, 06-Nov-94 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sun Nov  6 08:49:37 1994", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sun, 06 Nov 1994 08:49:37 CET", null],
    ["1994-11-06", null],
    ["0", null],
    ["", null],
  ])("the date %p is %p", (text, at) => {
    expect(parseHttpDate(text)).toBe(at);
  });
});
