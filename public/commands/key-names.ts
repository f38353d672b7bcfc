/** Returns keys as they stand on a keyboard. */
export function keyNames(keys: readonly string[]): string[] {
  return keys.map((key) => key.toUpperCase());
}
