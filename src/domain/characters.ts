// A character is a Unicode code point: an emoji counts as one, unlike in `length`.

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function firstCharacters(text: string, count: number): string {
  return [...text].slice(0, count).join("");
}
