import { describe, expect, test } from "bun:test";
import { type Conditions, evaluateConditions, ifRangeMatches, parseHttpDate } from "./conditional.ts";

const NONE: Conditions = { ifMatch: null, ifNoneMatch: null, ifModifiedSince: null, ifUnmodifiedSince: null };
const lastModified = Date.UTC(2026, 10, 20, 12, 0, 0);
const validators = { etag: '"abc-br"', lastModified };
const SAME = "Fri, 20 Nov 2026 12:00:00 GMT";
const BEFORE = "Fri, 20 Nov 2026 11:59:59 GMT";
const AFTER = "Fri, 20 Nov 2026 12:00:01 GMT";

describe("conditional requests", () => {
  test.each<[Partial<Conditions>, number]>([
    [{}, 200],
    [{ ifNoneMatch: '"abc-br"' }, 304],
    [{ ifNoneMatch: 'W/"abc-br"' }, 304],
    [{ ifNoneMatch: '"x", W/"y" , "abc-br"' }, 304],
    [{ ifNoneMatch: "*" }, 304],
    [{ ifNoneMatch: '"abc"' }, 200],
    [{ ifNoneMatch: "abc-br" }, 200],
    [{ ifNoneMatch: "" }, 200],
    [{ ifModifiedSince: SAME }, 304],
    [{ ifModifiedSince: AFTER }, 304],
    [{ ifModifiedSince: BEFORE }, 200],
    [{ ifModifiedSince: "yesterday" }, 200],
    [{ ifModifiedSince: "2026-11-20T12:00:00Z" }, 200],
    [{ ifMatch: '"abc-br"' }, 200],
    [{ ifMatch: "*" }, 200],
    [{ ifMatch: 'W/"abc-br"' }, 412],
    [{ ifMatch: '"other"' }, 412],
    [{ ifUnmodifiedSince: SAME }, 200],
    [{ ifUnmodifiedSince: BEFORE }, 412],
    [{ ifUnmodifiedSince: "nonsense" }, 200],
  ])("%j: %d", (conditions, status) => {
    expect(evaluateConditions({ ...NONE, ...conditions }, validators)).toBe(status as 200);
  });

  test.each<[string, Partial<Conditions>, number]>([
    ["If-Match before If-Unmodified-Since", { ifMatch: '"abc-br"', ifUnmodifiedSince: BEFORE }, 200],
    ["If-Match before If-None-Match", { ifMatch: '"no"', ifNoneMatch: '"abc-br"' }, 412],
    ["If-Match that holds, then If-None-Match", { ifMatch: '"abc-br"', ifNoneMatch: '"abc-br"' }, 304],
    ["If-None-Match before If-Modified-Since", { ifNoneMatch: '"no"', ifModifiedSince: AFTER }, 200],
    ["If-Unmodified-Since before If-Modified-Since", { ifUnmodifiedSince: BEFORE, ifModifiedSince: AFTER }, 412],
  ])("precedence: %s", (_, conditions, status) => {
    expect(evaluateConditions({ ...NONE, ...conditions }, validators)).toBe(status as 200);
  });

  test.each([
    [null, true],
    ['"abc-br"', true],
    ['W/"abc-br"', false],
    ['"other"', false],
    [SAME, true],
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
