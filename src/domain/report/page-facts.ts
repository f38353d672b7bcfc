import type { ReferenceKind } from "../model/file-facts.ts";
import { hashAnchor } from "./anchors.ts";
import { cssReferences } from "./css-references.ts";
import { Lines } from "./lines.ts";
import type { Attribute, MarkupHandler, ReadMarkup } from "./markup.ts";
import { ReferenceList } from "./references.ts";
import { srcsetAddresses } from "./srcset.ts";

/** What links and fragments of a page depend on, besides the deployment. */
interface PageFacts extends Pick<ReferenceList, "references" | "isCut"> {
  /** The address in `<base href>`; null if there is none. */
  readonly base: string | null;
  /** The hashes of the places in the page that a fragment can name, ascending; null if they are unknown. */
  readonly anchors: Uint32Array | null;
}

/** Reads a page as a browser without scripts: what is in `<noscript>` counts, and what is in `<template>` does not. */
export function pageFacts(text: string, readMarkup: ReadMarkup): PageFacts {
  const reader = new PageReader(text);
  readMarkup(text, reader);
  return reader.facts();
}

// --- internal ---

/** More places than any page has that people wrote. */
const MAX_ANCHORS = 50_000;

type Attributes = ReadonlyMap<string, Attribute>;

/** The attributes of elements that hold one address. */
const ADDRESSES: Readonly<Record<string, readonly (readonly [attribute: string, kind: ReferenceKind])[]>> = {
  a: [
    ["href", "link"],
    ["xlink:href", "link"],
  ],
  area: [["href", "link"]],
  img: [["src", "image"]],
  image: [
    ["href", "image"],
    ["xlink:href", "image"],
  ],
  use: [
    ["href", "image"],
    ["xlink:href", "image"],
  ],
  video: [
    ["src", "media"],
    ["poster", "image"],
  ],
  audio: [["src", "media"]],
  source: [["src", "media"]],
  track: [["src", "media"]],
  iframe: [["src", "frame"]],
  frame: [["src", "frame"]],
  embed: [["src", "object"]],
  object: [["data", "object"]],
};

/** What a browser does with a link to another resource, by the words of its `rel`. */
const LINK_KINDS: Readonly<Record<string, ReferenceKind>> = {
  stylesheet: "style",
  icon: "image",
  "apple-touch-icon": "image",
  "apple-touch-icon-precomposed": "image",
  "mask-icon": "image",
  manifest: "manifest",
  preload: "preload",
  modulepreload: "script",
  canonical: "canonical",
};

/** The seconds, then the address. Without one, the page loads itself again. */
const REFRESH = /^([\d.]+)[;,\s]+(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(\S.*))/is;

class PageReader implements MarkupHandler {
  readonly #lines: Lines;
  readonly #list = new ReferenceList();
  readonly #anchors = new Set<number>();
  #base: string | null = null;
  /** True if the page sends its visitors to another one at once, with their fragment or without it. */
  #isLeft = false;
  #templates = 0;
  #style: { start: number; end: number } | null = null;

  constructor(readonly source: string) {
    this.#lines = new Lines(source);
  }

  facts(): PageFacts {
    this.#endStyle();
    const isUnknown = this.#isLeft || this.#anchors.size > MAX_ANCHORS;
    const anchors = isUnknown ? null : Uint32Array.from(this.#anchors).sort();
    const { references, isCut } = this.#list;
    return { base: this.#base, references, isCut, anchors };
  }

  openTag(name: string, attributes: Attributes): void {
    if (name === "template") this.#templates += 1;
    if (this.#templates > 0) return;
    if (name === "style") this.#style = { start: -1, end: -1 };
    if (attributes.size === 0) return;
    this.#addAnchor(attributes.get("id"));
    if (name === "a") this.#addAnchor(attributes.get("name"));
    this.#addStyles(attributes.get("style"));
    for (const [attribute, kind] of ADDRESSES[name] ?? []) this.#add(kind, attributes.get(attribute));
    this.#readSpecial(name, attributes);
  }

  closeTag(name: string): void {
    if (name === "template") this.#templates = Math.max(0, this.#templates - 1);
    if (name === "style") this.#endStyle();
  }

  text(start: number, end: number): void {
    if (this.#style === null) return;
    if (this.#style.start === -1) this.#style.start = start;
    this.#style.end = end;
  }

  #readSpecial(name: string, attributes: Attributes): void {
    switch (name) {
      case "base":
        this.#base ??= attributes.get("href")?.value ?? null;
        break;
      case "img":
      case "source":
        this.#addSrcset(attributes.get("srcset"));
        break;
      case "input":
        if (isWord(attributes.get("type"), "image")) this.#add("image", attributes.get("src"));
        break;
      case "script":
        if (isLoadedScript(attributes.get("type"))) this.#add("script", attributes.get("src"));
        break;
      case "form":
        if (!attributes.has("method") || isWord(attributes.get("method"), "get"))
          this.#addForm(attributes.get("action"));
        break;
      case "meta":
        if (isWord(attributes.get("http-equiv"), "refresh")) this.#addRefresh(attributes.get("content"));
        break;
      case "link":
        this.#addLink(attributes);
        break;
    }
  }

  #add(kind: ReferenceKind, attribute: Attribute | undefined, address = attribute?.value): void {
    if (attribute !== undefined && address !== undefined) this.#list.add(kind, address, this.#lines.at(attribute.at));
  }

  /** Submitting a form replaces the query of its address. Without an address, it is the page itself. */
  #addForm(action: Attribute | undefined): void {
    if (action !== undefined && action.value.trim() !== "")
      this.#add("form", action, action.value.replace(/[?#][\s\S]*/, ""));
  }

  #addRefresh(content: Attribute | undefined): void {
    const [, seconds, double, single, plain] = REFRESH.exec(content?.value.trimStart() ?? "") ?? [];
    const address = double ?? single ?? plain;
    if (address === undefined) return;
    this.#add("link", content, address);
    if (Number.parseInt(seconds ?? "", 10) === 0) this.#isLeft = true;
  }

  #addLink(attributes: Attributes): void {
    this.#addSrcset(attributes.get("imagesrcset"));
    const words = (attributes.get("rel")?.value ?? "").toLowerCase().split(/\s+/);
    const word = words.find((one) => Object.hasOwn(LINK_KINDS, one));
    if (word !== undefined) this.#add(LINK_KINDS[word] as ReferenceKind, attributes.get("href"));
  }

  #addSrcset(attribute: Attribute | undefined): void {
    if (attribute) for (const address of srcsetAddresses(attribute.value)) this.#add("image", attribute, address);
  }

  #addStyles(attribute: Attribute | undefined): void {
    if (!attribute?.value.includes("(")) return;
    for (const { kind, address } of cssReferences(attribute.value)) this.#add(kind, attribute, address);
  }

  #endStyle(): void {
    const { start, end } = this.#style ?? { start: -1, end: -1 };
    this.#style = null;
    if (start === -1) return;
    for (const { kind, address, at } of cssReferences(this.source.slice(start, end))) {
      this.#list.add(kind, address, this.#lines.at(start + at));
    }
  }

  #addAnchor(attribute: Attribute | undefined): void {
    if (attribute && this.#anchors.size <= MAX_ANCHORS) this.#anchors.add(hashAnchor(attribute.value));
  }
}

function isWord(attribute: Attribute | undefined, word: string): boolean {
  return attribute?.value.trim().toLowerCase() === word;
}

/** Other types are data, which browsers do not load. */
function isLoadedScript(type: Attribute | undefined): boolean {
  const name = (type?.value ?? "").trim().toLowerCase();
  return name === "" || name === "module" || /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/.test(name);
}
