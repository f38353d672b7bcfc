import { expect, test } from "bun:test";
import { MAX_JSON_BYTES, readJson, readJsonOrForm } from "./body.ts";

/** The names that every object inherits, such as `__proto__` and `toString`. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const request = (type: string, body: string) =>
  new Request("http://x/", { method: "POST", body, headers: { "content-type": type } });
const json = `{${INHERITED.map((name) => `"${name}":"x",`).join("")}"scope":"preview","limit":{"toString":"x"}}`;
const form = `${INHERITED.map((name) => `${name}=x&`).join("")}scope=preview&scope=publish`;

test.each([
  ["JSON", readJson, JSON_TYPE, json, { scope: "preview", limit: {} }],
  ["JSON where a form is possible", readJsonOrForm, JSON_TYPE, json, { scope: "preview", limit: {} }],
  ["a form", readJsonOrForm, FORM_TYPE, form, { scope: "preview" }],
])("%s loses fields that every object inherits", async (_, read, type, body, expected) => {
  const value = (await read(request(type, body))) as object;
  expect(Object.getOwnPropertyNames(value)).toEqual(Object.keys(expected));
  expect(value).toEqual(expected);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const long = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;

test.each([
  ["32 levels", nested(32), null],
  ["33 levels", nested(33), "validation"],
  ["64 kB", long(MAX_JSON_BYTES), null],
  ["a byte more", long(MAX_JSON_BYTES + 1), "limit_exceeded"],
])("a body of %s is accepted or refused", async (_, text, kind) => {
  const read = readJson(request(JSON_TYPE, text));
  if (kind === null) expect(await read).toEqual(JSON.parse(text));
  else await expect(read).rejects.toMatchObject({ kind });
});
