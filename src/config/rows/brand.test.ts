import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { loadConfig, loadDataFolderConfig } from "../settings.ts";
import { brandColor, brandContact, brandLogo, brandName, svgProblem } from "./brand.ts";

const folder = temporaryFolder();

describe("a name", () => {
  test.each(["Acme", " Acme  ", "Ünï 🏷", "a".repeat(60)])("%j is accepted", (name) => {
    expect(brandName(name, "")).toBe(name.trim());
  });
  test.each(["", "  ", "a".repeat(61), "a\nb", "a\u202eb"])("%j is refused", (name) => {
    expect(() => brandName(name, "")).toThrow("1 to 60 characters");
  });
});

describe("a colour", () => {
  test.each([
    ["#4453d6", "#4453d6"],
    ["#FFF", "#ffffff"],
    [" #a1B2c3 ", "#a1b2c3"],
  ])("%j is %s", (text, color) => {
    expect(brandColor(text, "")).toBe(color);
  });
  test.each(["red", "4453d6", "#12345", "#1234567", "#ggg", "rgb(1,2,3)", "#fff;}body{", ""])(
    "%j is refused",
    (text) => {
      expect(() => brandColor(text, "")).toThrow("a colour such as #4453d6");
    },
  );
});

describe("a contact", () => {
  test.each([
    "mailto:help@example.org",
    "mailto:help@example.org?subject=Broken%20link",
    "https://example.org/contact?from=pages",
  ])("%s is accepted", (link) => {
    expect(brandContact(link, "")).toBe(link);
  });
  test.each([
    "help@example.org",
    "http://example.org/",
    "javascript:alert(1)",
    "data:text/html,x",
    "mailto:",
    "mailto:a b@c",
    "https://user:secret@example.org/",
    `https://example.org/${"a".repeat(500)}`,
    "",
  ])("%s is refused", (link) => {
    expect(() => brandContact(link, "")).toThrow("a link such as mailto:");
  });
});

const PLAIN_SVG =
  '<?xml version="1.0"?>\n<!-- made by hand <script> -->\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">' +
  "<style>path{fill:#222}@media(prefers-color-scheme:dark){path{fill:#eee}}</style>" +
  '<defs><linearGradient id="g"/></defs><path id="p" fill="url(#g)" d="M0 0"/><use href="#p"/><use xlink:href="#p"/></svg>';

describe("a logo", () => {
  const logoOf = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return brandLogo(name, folder);
  };

  test("is recognized as PNG or SVG by its content, whatever its name", () => {
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("rest")]);
    expect(logoOf("logo.svg", png)).toEqual({ type: "image/png", base64: png.toString("base64") });
    expect(logoOf("logo.png", PLAIN_SVG).type).toBe("image/svg+xml");
  });

  test.each([
    ["too large", `<svg>${" ".repeat(8192)}</svg>`, "at most 8 KiB"],
    ["a page", "<html><svg></svg></html>", "is neither"],
    ["a GIF", "GIF89a", "is neither"],
  ])("%s is refused", (name, content, why) => {
    expect(() => logoOf(name, content)).toThrow(why);
  });

  test("that cannot be read is refused, but not read by commands that need only the data folder", () => {
    expect(() => brandLogo("absent.svg", folder)).toThrow("that can be read");
    const sources = { flags: { dataDir: folder, brandLogo: join(folder, "absent.svg") }, env: {} };
    expect(() => loadConfig(sources)).toThrow("--brand-logo");
    expect(loadDataFolderConfig(sources).brandLogo).toBeNull();
  });
});

describe("an SVG", () => {
  test("with a plain drawing is accepted", () => {
    expect(svgProblem(PLAIN_SVG)).toBeNull();
  });
  test.each([
    "<script>alert(1)</script>",
    "<svg:script/>",
    "<SCRIPT/>",
    '<path onload="alert(1)"/>',
    "<path\nonclick='x'/>",
    "<path/onfocus=x>",
    "<foreignObject/>",
    "<animate attributeName='href'/>",
    '<set attributeName="onload"/>',
    '<image href="https://example.org/a.png"/>',
    '<use xlink:href="data:image/svg+xml,x"/>',
    '<a href="javascript:alert(1)"/>',
    "<style>@import 'x';</style>",
    "<path fill=\"url('https://example.org/#a')\"/>",
    "<style>path{fill:u\\72l(x)}</style>",
    "<a href='&#106;avascript:x'/>",
    "<![CDATA[<script>]]>",
    "<?xml-stylesheet href='x'?>",
  ])("with %s is refused", (part) => {
    expect(svgProblem(`<svg xmlns="http://www.w3.org/2000/svg">${part}</svg>`)).not.toBeNull();
  });
  test("with a document type is refused", () => {
    expect(svgProblem('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>')).not.toBeNull();
  });
});
