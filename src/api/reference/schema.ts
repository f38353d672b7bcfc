import type { Schema } from "../openapi/read.ts";
import { html, Markup } from "../pages/html.ts";
import { prose } from "./text.ts";

/** A field. Fields of nested objects have a path, such as `limits[].name`. */
interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** Returns a link to a named schema. */
export function reference(name: string): Markup {
  return html`<a href="#${schemaId(name)}"><code>${name}</code></a>`;
}

/** Returns the fields of an object and of the objects in it; none for other types. */
export function fieldsOf(schema: Schema, path = ""): readonly Field[] {
  const object = partsOf(schema).find(({ properties }) => properties);
  const fields = Object.entries(object?.properties ?? {}).map(([name, field]) => ({
    path: path === "" ? name : `${path}.${name}`,
    schema: field,
    required: object?.required?.includes(name) ?? false,
  }));
  return fields.flatMap((field) => [field, ...fieldsOf(field.schema, field.path), ...fieldsOfItems(field)]);
}

/** Describes the type, with a link to each named schema. */
export function typeOf(schema: Schema): Markup {
  if (schema.$ref) return reference(schema.$ref.split("/").at(-1) ?? "");
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.items) return html`array of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  return html`${schema.type ?? "any"}${schema.format ? ` (${schema.format})` : ""}`;
}

/** Returns the description, choices, limits and default of a value. */
export function notesOf(schema: Schema): Markup {
  const parts = partsOf(schema).flatMap((part) => [part, ...(part.items ? [part.items] : [])]);
  const notes = [
    ...(schema.description ? [prose(schema.description.replace(/\.$/, ""))] : []),
    ...parts.flatMap((part) => [...choiceNotes(part), ...boundNotes(part)]),
    ...(schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
  ];
  return joined(notes, "; ");
}

/** Returns a list of all fields; for other types only the type. */
export function fieldList(schema: Schema): Markup {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return definitions(
    fields.map(({ path, schema, required }) => definition(path, html`${typeOf(schema)}${optional(required)}`, schema)),
  );
}

/** Returns one entry of a list of fields or parameters. */
export function definition(name: string, type: Markup, schema: Schema): Markup {
  return html`<div><dt><code>${name}</code> <span class="muted">${type}</span></dt><dd>${notesOf(schema)}</dd></div>`;
}

export function definitions(entries: readonly Markup[]): Markup {
  return html`<dl>${entries}</dl>`;
}

export function optional(required: boolean): Markup | null {
  return required ? null : html`, optional`;
}

// --- internal ---

function fieldsOfItems({ schema, path }: Field): readonly Field[] {
  const items = partsOf(schema).find((part) => part.items)?.items;
  return items ? fieldsOf(items, `${path}[]`) : [];
}

/** The choices of a union, or the schema itself. */
function partsOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? [schema];
}

function choiceNotes({ enum: values }: Schema): readonly Markup[] {
  if (!values) return [];
  const choices = values.map((value) => html`<code>${value}</code>`);
  return [html`one of ${joined(choices, ", ")}`];
}

function boundNotes({ type, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): readonly Markup[] {
  return [
    ...(type === "string" ? range(minLength, maxLength, " characters") : []),
    ...range(minimum, maximum, ""),
    ...range(minItems, maxItems, " items"),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly Markup[] {
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [html`at least ${least ?? 0}${unit}`];
  return [least === undefined ? html`at most ${most}${unit}` : html`${least} to ${most}${unit}`];
}

function joined(parts: readonly Markup[], between: string): Markup {
  return new Markup(parts.map((part) => part.text).join(between));
}
