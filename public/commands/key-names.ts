/** Returns the names of keys as printed on a keyboard. */
export function keyNames(keys: readonly string[]): string[] {
  return keys.map((key) => key.toUpperCase());
}
