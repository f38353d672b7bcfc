import type { TSchema } from "@sinclair/typebox";

/** Returns a schema as plain JSON of OpenAPI 3.1. Examples are removed, because they are part of the bodies. */
export function plainSchema(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "examples" ? undefined : tupleOf31(value))));
}

/**
 * Replaces each object schema with a title by a reference, and adds it to `named` under its title, so that generated
 * clients have named types. Omit the title of a request with a default: in a named schema, generators treat a property
 * with a default as required.
 */
export function withNamedSchemas(value: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => withNamedSchemas(item, named));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withNamedSchemas(item, named)]);
  const { title, ...schema } = Object.fromEntries(entries) as Record<string, unknown>;
  if (schema.type !== "object" || typeof title !== "string") return title === undefined ? schema : { ...schema, title };
  named[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

// --- internal ---

/** TypeBox writes tuples like older JSON Schema versions, which OpenAPI 3.1 reads as an array of anything. */
function tupleOf31(value: unknown): unknown {
  const { items, additionalItems, ...schema } = (value ?? {}) as Record<string, unknown>;
  return additionalItems === false && Array.isArray(items) ? { ...schema, prefixItems: items, items: false } : value;
}
