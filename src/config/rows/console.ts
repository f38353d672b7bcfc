import { brandColor, brandContact, brandLogo, brandName } from "./brand.ts";
import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

/** The settings of the console and of the pages that visitors see. */
export const CONSOLE_SETTINGS = {
  admin: setting({
    flag: "admin",
    value: "on|off",
    parse: parse.onOff,
    default: true,
    defaultText: "`on`",
    help: "the console for operators, /admin, and its API",
  }),
  downloads: setting({
    flag: "downloads",
    value: "on|off",
    parse: parse.onOff,
    default: true,
    defaultText: "`on`",
    help: "the command-line client for everybody, at /vitrine.tgz and /download",
  }),
  brandName: setting({
    flag: "brand-name",
    value: "NAME",
    parse: parse.optional(brandName),
    default: null,
    defaultText: "none",
    help: "your name, on the sign-in page and on the pages that visitors get instead of a site's, such as 404 and frozen",
  }),
  brandColor: setting({
    flag: "brand-color",
    value: "COLOR",
    parse: parse.optional(brandColor),
    default: null,
    defaultText: "none",
    help: "colour of these pages, such as #4453d6; made darker or lighter where it would be hard to see",
  }),
  brandLogo: setting({
    flag: "brand-logo",
    value: "FILE",
    parse: parse.optional(brandLogo),
    default: null,
    defaultText: "none",
    help: "logo on these pages, a PNG or SVG file of at most 8 KiB",
  }),
  brandContact: setting({
    flag: "brand-contact",
    value: "URL",
    parse: parse.optional(brandContact),
    default: null,
    defaultText: "none",
    help: "link on these pages for people who need help: mailto: or https://",
  }),
} as const;
