import { html, Markup } from "../pages/html.ts";

/** Returns a description as markup: text between backticks is code. */
export function prose(text: string): Markup {
  const parts = text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return new Markup(parts.map((part) => part.text).join(""));
}
