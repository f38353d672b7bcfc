import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import type { Attribute, MarkupHandler } from "../../domain/report/markup.ts";

/**
 * Reads HTML with the tokenizer of htmlparser2. Its parser would also keep the stack of open elements, which takes the
 * square of their depth in a page of nothing but opening tags.
 */
export function readMarkup(text: string, handler: MarkupHandler): void {
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, callbacksFor(text, handler));
  tokenizer.write(text);
  tokenizer.end();
}

// --- internal ---

/** The text is written at once, so that the tokenizer's positions are those in the text. */
function callbacksFor(text: string, handler: MarkupHandler): TokenizerCallbacks {
  const tag = new OpenTag();
  let foreign = 0;
  const endTag = () => {
    if (tag.name === "svg" || tag.name === "math") foreign += 1;
    handler.openTag(tag.name, tag.attributes);
  };
  return {
    ...IGNORED,
    onopentagname: (start, end) => tag.begin(text.slice(start, end).toLowerCase()),
    onattribname: (start, end) => tag.beginAttribute(text.slice(start, end).toLowerCase(), start),
    onattribdata: (start, end) => tag.addValue(text.slice(start, end)),
    onattribentity: (codepoint) => tag.addValue(String.fromCodePoint(codepoint)),
    onattribend: () => tag.endAttribute(),
    onopentagend: endTag,
    onselfclosingtag: () => {
      endTag();
      // Elsewhere than in SVG, browsers ignore the slash.
      if (foreign > 0) closeTag(tag.name);
    },
    onclosetag: (start, end) => closeTag(text.slice(start, end).toLowerCase()),
    ontext: (start, end) => handler.text(start, end),
    isInForeignContext: () => foreign > 0,
  };

  function closeTag(name: string): void {
    if (name === "svg" || name === "math") foreign = Math.max(0, foreign - 1);
    handler.closeTag(name);
  }
}

const nothing = () => {};

const IGNORED = {
  oncdata: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onprocessinginstruction: nothing,
  ontextentity: nothing,
  onend: nothing,
} satisfies Partial<TokenizerCallbacks>;

/** The tag that is being read. Of two attributes with one name, the first counts. */
class OpenTag {
  name = "";
  attributes = new Map<string, Attribute>();
  #attribute = "";
  #at = 0;
  #value = "";

  begin(name: string): void {
    this.name = name;
    this.attributes = new Map();
  }

  beginAttribute(name: string, at: number): void {
    this.#attribute = name;
    this.#at = at;
    this.#value = "";
  }

  addValue(part: string): void {
    this.#value += part;
  }

  endAttribute(): void {
    if (this.attributes.has(this.#attribute)) return;
    this.attributes.set(this.#attribute, { value: this.#value, at: this.#at });
  }
}
