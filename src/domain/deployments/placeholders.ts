/** A text cut at its placeholders: pieces of text, and for each placeholder its index in the list of names. */
export type Template = readonly (string | number)[];

const PLACEHOLDER = /:[A-Za-z_]\w*/g;

/** Whether a segment of a path is a placeholder: it stands for a whole segment, or it is text. */
export function isPlaceholder(segment: string): boolean {
  return /^:[A-Za-z_]\w*$/.test(segment);
}

/** Returns the text cut at those placeholders that are in `names`. Any other `:name` is text: `https://example.com:8080/`. */
export function cutTemplate(text: string, names: readonly string[]): Template {
  const template: (string | number)[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(PLACEHOLDER)) {
    const name = names.indexOf(word.slice(1));
    if (name === -1) continue;
    if (index > end) template.push(text.slice(end, index));
    template.push(name);
    end = index + word.length;
  }
  if (end < text.length) template.push(text.slice(end));
  return template;
}

/** Returns how many words of the text have the form of a placeholder. */
export function countPlaceholders(text: string): number {
  return text.match(PLACEHOLDER)?.length ?? 0;
}
