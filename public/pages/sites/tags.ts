/** Parses a text with tags separated by commas. */
export function tagsIn(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim().toLowerCase());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/** Merges tags without duplicates. */
export function withTags(tags: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...tags, ...more])];
}
