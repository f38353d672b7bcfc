import { t } from "elysia";

/** Returns the schema of an integer in a JSON body, where `t.Integer` would take text too. */
export function jsonInteger(bounds: { readonly minimum: number; readonly maximum: number }) {
  return t.Number({ ...bounds, multipleOf: 1 });
}
