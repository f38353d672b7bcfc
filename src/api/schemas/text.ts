import { TypeSystem } from "@sinclair/typebox/system";
import { countCharacters } from "../../domain/characters.ts";
import { isPrintable, PRINTABLE } from "../../domain/printable.ts";

interface TextOptions {
  readonly minLength: number;
  readonly maxLength: number;
  readonly description?: string;
  readonly default?: string;
}

/** A custom type, because the validator counts UTF-16 code units, but JSON Schema and users count characters. */
const Text = TypeSystem.Type<string, TextOptions & { readonly type: "string"; readonly pattern: string }>(
  "Text",
  (options, value) => textProblem(options, value) === null,
);

/** Returns the schema of printable text for people. */
export function text(options: TextOptions) {
  return Text({ type: "string", pattern: PRINTABLE, ...options });
}

/** Returns whether a schema is one of `text`. */
export function isText(schema: object): schema is TextOptions {
  return "pattern" in schema && schema.pattern === PRINTABLE;
}

/** Returns why a value does not match such a schema, or null. */
export function textProblem({ minLength, maxLength }: TextOptions, value: unknown): string | null {
  if (typeof value !== "string") return "Expected string";
  const count = countCharacters(value);
  if (count < minLength || count > maxLength) return `Expected ${minLength} to ${maxLength} characters`;
  return isPrintable(value) ? null : "Expected text without control characters";
}
