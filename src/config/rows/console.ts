import { brandColor, brandContact, brandLogo, brandName } from "./brand.ts";
import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

/** The settings of the console and of the pages that visitors see. */
export const CONSOLE_SETTINGS = settings({
  admin: setting(parse.onOff, true, "the console for operators, /admin, and its API"),
  downloads: setting(parse.onOff, true, "the command-line client for everybody, at /vitrine.tgz and /download"),
  brandName: optionalSetting(
    brandName,
    "your name, on the sign-in page and on the pages that visitors get instead of a site's, such as 404 and frozen",
  ),
  brandColor: optionalSetting(
    brandColor,
    "colour of these pages, such as #4453d6; made darker or lighter where it would be hard to see",
  ),
  brandLogo: optionalSetting(brandLogo, "logo on these pages, a PNG or SVG file of at most 8 KiB"),
  brandContact: optionalSetting(brandContact, "link on these pages for people who need help: mailto: or https://"),
});
