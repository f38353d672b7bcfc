/** Yields the addresses of a `srcset`, as browsers split it: an address may contain commas, but not end with one. */
export function* srcsetAddresses(text: string): Generator<string> {
  let at = 0;
  for (;;) {
    at = skip(text, at, SEPARATOR);
    if (at >= text.length) return;
    const end = skip(text, at, NOT_SPACE);
    const address = text.slice(at, end);
    const isLast = address.endsWith(",");
    yield isLast ? address.replace(/,{1,99}$/, "") : address;
    at = isLast ? end : descriptorEnd(text, end);
  }
}

// --- internal ---

const SEPARATOR = /[\s,]/;
const NOT_SPACE = /\S/;

function skip(text: string, at: number, what: RegExp): number {
  let end = at;
  while (end < text.length && what.test(text.charAt(end))) end += 1;
  return end;
}

/** Returns the position of the comma that ends a descriptor; one between parentheses does not. */
function descriptorEnd(text: string, at: number): number {
  let isInside = false;
  for (let end = at; end < text.length; end++) {
    const character = text.charAt(end);
    if (character === "(") isInside = true;
    if (character === ")") isInside = false;
    if (character === "," && !isInside) return end;
  }
  return text.length;
}
