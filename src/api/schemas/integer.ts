import { t } from "elysia";
import { FormatRegistry } from "elysia/type-system";

/**
 * Makes Elysia take plain decimals alone for an integer in a path or a query, for the whole process: by itself it takes
 * all that JavaScript does, `0x1`, `1e0` and ` 1`.
 */
export function takePlainIntegers(): void {
  FormatRegistry.Set("integer", (text) => /^-?(?:0|[1-9]\d*)$/.test(text));
}

/** Returns the schema of an integer in a JSON body, where `t.Integer` would take text too. */
export function jsonInteger(bounds: { readonly minimum: number; readonly maximum: number }) {
  return t.Number({ ...bounds, multipleOf: 1 });
}
