import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

const GIB = 1024 ** 3;

/** The settings of content. */
export const CONTENT_SETTINGS = {
  content: setting({
    flag: "content",
    value: "URL",
    parse: parse.optional(parse.s3Url),
    default: null,
    defaultText: "`content` in the data folder",
    help: "bucket for the files of sites, `s3://bucket/prefix?endpoint=URL&region=NAME`, with the keys below; vitrine move brings existing files there",
  }),
  contentCache: setting({
    flag: "content-cache",
    value: "SIZE",
    parse: parse.bytes,
    default: 10 * GIB,
    defaultText: "`10GiB`",
    help: "disk space for cached files of sites, in `cache` in the data folder; only with `--content`",
  }),
} as const;
