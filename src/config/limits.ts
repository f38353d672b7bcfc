import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

const MIB = 1024 * 1024;

/** The rows of the settings table that limit what people, programs and visitors may do: `GET /capabilities/limits` shows all. */
export const LIMIT_SETTINGS = {
  maxArchiveBytes: setting({
    flag: "max-archive-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 512 * MIB,
    defaultText: "`512MiB`",
    help: "largest archive that is accepted",
  }),
  maxSiteBytes: setting({
    flag: "max-site-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 2048 * MIB,
    defaultText: "`2GiB`",
    help: "largest deployment, unpacked",
  }),
  maxFileBytes: setting({
    flag: "max-file-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 256 * MIB,
    defaultText: "`256MiB`",
    help: "largest single file of a deployment",
  }),
  maxFiles: setting({
    flag: "max-files",
    value: "N",
    parse: parse.wholeNumber(1),
    default: 50_000,
    defaultText: "`50000`",
    help: "most files in a deployment",
  }),
  maxUserSites: setting({
    flag: "max-user-sites",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(0)),
    default: null,
    defaultText: "`off`",
    help: "most sites of one person, where the operator gave them no other number (vitrine users limit)",
  }),
  maxUserBytes: setting({
    flag: "max-user-bytes",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: null,
    defaultText: "`off`",
    help: "most bytes of all kept deployments of one person's sites, where the operator gave them no other size",
  }),
} as const;
