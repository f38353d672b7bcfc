/** Returns the event types of an `--events` option; null for all, which is what nothing and `all` mean. */
export function eventTypes(option: string | undefined): readonly string[] | null {
  return option === undefined || option === "all" ? null : option.split(",").map((type) => type.trim());
}
