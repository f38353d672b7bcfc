/** Text that is markup and needs no escaping. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | readonly Markup[] | null;

/** Builds markup; every value that is not markup is escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(render)));
}

interface Head {
  readonly title: string;
  /** Whose page it is; by default Vitrine's. */
  readonly owner?: string | undefined;
  readonly style: string;
  readonly more?: Markup | undefined;
  /** After the style sheet, whose rules it can override. */
  readonly override?: Markup | null;
}

/** Begins a page of the base URL: light or dark as chosen, with a style sheet of the server's own. */
export function documentHead({ title, owner = "Vitrine", style, more, override }: Head): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${more ?? null}<title>${title} · ${owner}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/${style}">
${override ?? null}<script src="/assets/theme.js"></script>
</head>
`;
}

function render(value: Value): string {
  if (value === null) return "";
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join("");
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
