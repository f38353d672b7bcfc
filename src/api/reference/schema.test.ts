import { expect, test } from "bun:test";
import type { Schema } from "../openapi/read.ts";
import { fieldsOf, notesOf, typeOf } from "./schema.ts";

test.each<[Schema, string]>([
  [{ type: "string" }, "string"],
  [{ type: "string", format: "date-time" }, "string (date-time)"],
  [{ const: "bearer" }, "<code>&#34;bearer&#34;</code>"],
  [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "integer or null"],
  [{ type: "array", items: { type: "string" } }, "array of string"],
  [{ $ref: "#/components/schemas/ApiUser" }, '<a href="#schema-ApiUser"><code>ApiUser</code></a>'],
  [{}, "any"],
])("the type of %j is described as %s", (schema, words) => {
  expect(typeOf(schema).text).toBe(words);
});

test.each<[Schema, string]>([
  [{ type: "string" }, ""],
  [
    { type: "string", minLength: 1, maxLength: 100, default: "x" },
    "1 to 100 characters; default <code>&#34;x&#34;</code>",
  ],
  [{ type: "integer", minimum: 1 }, "at least 1"],
  [{ type: "integer", maximum: 9, description: "So many." }, "So many; at most 9"],
  [{ anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] }, "one of <code>a</code>, <code>b</code>"],
  [{ type: "array", minItems: 1, items: { type: "string", enum: ["a"] } }, "at least 1 items; one of <code>a</code>"],
  [{ type: "string", description: "As `a<b` says" }, "As <code>a&#60;b</code> says"],
])("the details of %j: %s", (schema, words) => {
  expect(notesOf(schema).text).toBe(words);
});

test("fields of nested objects and lists have a path", () => {
  const size: Schema = { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] };
  const schema: Schema = {
    type: "object",
    required: ["own"],
    properties: {
      own: { anyOf: [size, { type: "null" }] },
      all: { type: "array", items: size },
    },
  };
  expect(fieldsOf(schema).map(({ path, required }) => [path, required])).toEqual([
    ["own", true],
    ["own.bytes", true],
    ["all", false],
    ["all[].bytes", true],
  ]);
});
