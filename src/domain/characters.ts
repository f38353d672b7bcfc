// A character is a Unicode code point: an emoji is one, and not the two UTF-16 units that `length` counts.

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns text cut after so many characters. */
export function firstCharacters(text: string, count: number): string {
  return [...text].slice(0, count).join("");
}
