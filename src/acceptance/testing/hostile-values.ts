import fc from "fast-check";
import type { Schema } from "../../api/openapi/read.ts";

type Value = fc.Arbitrary<unknown>;

/**
 * Text that programs often handle wrongly. The longest one has the maximum length of a URL, so that it fits a
 * path.
 */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0007b",
  "\ud800",
  "a\udc00b",
  "\u202egnp.exe",
  "\ufeff",
  "e\u0301",
  "👩‍👩‍👧‍👦".repeat(20),
  "𝒶".repeat(101),
  "x".repeat(1000),
  "-0",
  "-1",
  "0x10",
  "1e3",
  "1e400",
  "NaN",
  "Infinity",
  "9007199254740993",
  "99999999999999999999",
  "null",
  "undefined",
  "true",
  "[object Object]",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "%",
  "%00",
  "%2e%2e%2f",
  "../../etc/passwd",
  "..\\..",
  "a/b",
  "a?b=c#d",
  "a;b,c",
  "'; DROP TABLE sites; --",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "{}",
  '{"toString":1}',
  "[",
  "2026-02-31",
  "0000-00-00",
  "-000001-01-01",
  "+275760-09-13T00:00:00.001Z",
  "http://",
  "http://[",
  "http://127.0.0.1:1/",
  "http://user:pass@127.0.0.1:1/",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "xn--",
  "a..b",
  "-a.example",
  "127.0.0.1",
  "[::1]",
  `${"a".repeat(63)}.example`,
  `${"a.".repeat(126)}a`,
];

/** Keys that shadow inherited properties of objects, or those that libraries read. */
const HOSTILE_KEYS = [
  "toString",
  "valueOf",
  "toJSON",
  "constructor",
  "__proto__",
  "hasOwnProperty",
  "then",
  "length",
  "schema",
  "",
];

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: "binary", maxLength: 300 }));

const hostileScalar = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 53) - 2),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** JSON of any shape, with malicious keys. */
export const hostileValue: Value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, hostileScalar, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...HOSTILE_KEYS), fc.string({ maxLength: 8 })), tie("value"), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).value;

/** Generates values for the schemas of a document: mostly valid, some nearly valid, some hostile. */
export class Values {
  /** `known` are the names of fields and parameters for which the server has a value. They become `{name}`. */
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    private readonly known: ReadonlySet<string>,
  ) {}

  /** Returns values for a field: mostly valid, with errors at any depth. */
  near(schema: Schema, name = ""): Value {
    const resolved = this.resolve(schema);
    const harm = { weight: 1, arbitrary: hostileValue };
    if (this.known.has(name)) return fc.oneof({ weight: 8, arbitrary: fc.constant(`{${name}}`) }, harm);
    if (resolved.anyOf) return fc.oneof(...resolved.anyOf.map((choice) => this.near(choice)), hostileValue);
    if (resolved.type === "object") return fc.oneof({ weight: 8, arbitrary: this.object(resolved) }, harm);
    if (resolved.type === "array") return fc.oneof({ weight: 4, arbitrary: this.list(resolved) }, harm);
    return fc.oneof({ weight: 4, arbitrary: scalar(resolved) }, harm);
  }

  /** Returns values for a parameter as text, for an address or a header. */
  text(schema: Schema, name: string): fc.Arbitrary<string> {
    if (this.known.has(name)) {
      return fc.oneof({ weight: 8, arbitrary: fc.constant(`{${name}}`) }, { weight: 1, arbitrary: hostileText });
    }
    return fc.oneof({ weight: 3, arbitrary: scalar(this.resolve(schema)).map(String) }, hostileText);
  }

  private resolve(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (this.schemas[name] as Schema);
  }

  private object({ properties = {}, required = [] }: Schema): Value {
    const fields = Object.entries(properties).map(([name, schema]) => [name, this.near(schema, name)] as const);
    const whole = fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
    const partial = fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true });
    const further = fc.dictionary(fc.constantFrom(...HOSTILE_KEYS), hostileValue, {
      maxKeys: 2,
      noNullPrototype: true,
    });
    const decorated = fc.tuple(whole, further).map(([fields, more]) => ({ ...more, ...fields }));
    return fc.oneof({ weight: 6, arbitrary: whole }, partial, decorated);
  }

  private list({ items = {}, minItems = 0, maxItems = 5 }: Schema): Value {
    const item = this.near(items);
    return fc.oneof(fc.array(item, { minLength: minItems, maxLength: maxItems }), fc.array(item, { maxLength: 30 }));
  }
}

// --- internal ---

/** Returns values for a scalar schema, including its limits. */
function scalar(schema: Schema): Value {
  const { type, minimum = -10, maximum = 2 ** 31 } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "integer" || type === "number") {
    return fc.oneof(
      fc.integer({ min: minimum, max: maximum }),
      fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1),
    );
  }
  if (schema.format === "date") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  const { minLength = 0, maxLength = 40 } = schema;
  const bounds = fc.constantFrom(minLength, maxLength, maxLength + 1).map((length) => "𝒶".repeat(length));
  return fc.oneof(fc.string({ unit: "grapheme", minLength, maxLength }), bounds);
}
