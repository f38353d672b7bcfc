import { expect, test } from "bun:test";
import { readJson, readJsonOrForm } from "./body.ts";

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
