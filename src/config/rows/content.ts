import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

const GIB = 1024 ** 3;

/** The settings of content. */
export const CONTENT_SETTINGS = settings({
  content: optionalSetting(
    parse.s3Url,
    "bucket for the files of sites, `s3://bucket/prefix?endpoint=URL&region=NAME`, with the keys below; vitrine move brings existing files there",
    { defaultText: "`content` in the data folder" },
  ),
  contentCache: setting(
    parse.bytes,
    10 * GIB,
    "disk space for cached files of sites, in `cache` in the data folder; only with `--content`",
  ),
});
