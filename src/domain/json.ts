export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value of a JSON text; null also if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the object of a JSON text; null for other values, and if the text is not JSON. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** Returns whether a value of a JSON text is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
