import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { DomainError, type FieldError } from "../domain/errors.ts";
import { isText, textProblem } from "./schemas/text.ts";

type Place = "path" | "query" | "body";
type Validate<S extends TSchema> = (value: unknown) => Static<S>;

/**
 * Returns a function that removes properties that the schema does not have, validates the rest, and throws `validation`.
 * The schema is compiled at the first call: most threads never serve most routes. `nameOf` returns the name of a field
 * that errors show.
 *
 * Elysia's own validation is not used for requests: it would accept `0x1` and ` 1` as integers in a URL, and report
 * an integer out of bounds without its name.
 */
export function validator<S extends TSchema>(place: Place, schema: S, nameOf = sameName): Validate<S> {
  let compiled: ReturnType<typeof TypeCompiler.Compile<S>> | null = null;
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema);
    const known = Value.Clean(schema, value);
    if (compiled.Check(known)) return known;
    throw new DomainError("validation", "validation failed", {
      fields: fieldErrors(place, compiled.Errors(known), nameOf),
    });
  };
}

/** Like `validator`, for values that arrive as text: integers and booleans are converted as their schema says. */
export function textValidator<S extends TObject>(place: "path" | "query", schema: S, nameOf = sameName): Validate<S> {
  const validate = validator(place, schema, nameOf);
  return (value) => {
    const entries = Object.entries((value ?? {}) as Record<string, unknown>);
    return validate(Object.fromEntries(entries.map(([name, text]) => [name, convert(schema.properties[name], text)])));
  };
}

const sameName = (field: string) => field;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

function convert(schema: TSchema | undefined, text: unknown): unknown {
  if (schema?.type === "integer" && typeof text === "string" && INTEGER.test(text)) return Number(text);
  if (schema?.type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Returns one error per field. The compiler reports a missing field twice. */
function fieldErrors(place: Place, problems: Iterable<ValueError>, nameOf: (field: string) => string): FieldError[] {
  const fields = new Map<string, FieldError>();
  for (const problem of problems) {
    if (fields.has(problem.path)) continue;
    const loc = [
      place,
      ...problem.path
        .split("/")
        .filter((part) => part !== "")
        .map(nameOf),
    ];
    fields.set(problem.path, { loc, ...describeProblem(place, problem) });
  }
  return [...fields.values()];
}

function describeProblem(place: Place, problem: ValueError): Pick<FieldError, "msg" | "type"> {
  const { value, schema } = problem;
  if (value === undefined) return { msg: "Field required", type: "missing" };
  if (place !== "body" && typeof value !== "number" && ["integer", "boolean"].includes(schema.type)) {
    return { msg: `Expected ${schema.type}`, type: `${schema.type}_type` };
  }
  const choices: readonly TSchema[] = schema.anyOf ?? [];
  const choice = choices.findIndex(({ type }) => type !== "null");
  if (choice !== -1) {
    const { type = "value" } = choices[choice] as TSchema;
    const [meant] = problem.errors[choice] ?? [];
    return meant && isOfType(value, type)
      ? describeProblem(place, meant)
      : { msg: `Expected ${type}`, type: `${type}_type` };
  }
  return { msg: messageOf(problem), type: "value_error" };
}

function messageOf({ schema, value, message }: ValueError): string {
  if (isText(schema)) return textProblem(schema, value) ?? message;
  return schema.enum ? `Expected one of ${schema.enum.join(", ")}` : message;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  return typeof value === (type === "integer" ? "number" : type);
}
