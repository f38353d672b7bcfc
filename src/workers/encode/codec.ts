import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Codec } from "../../domain/ports/codec.ts";

/** At these levels no window exceeds the 8 MB that every browser accepts (RFC 9659). */
const LEVELS = {
  best: { br: 11, zstd: 19, gzip: 9 },
  good: { br: 9, zstd: 12, gzip: 9 },
  fast: { br: 1, zstd: 1, gzip: 1 },
} as const;

/** The runtime's own compressors. */
export const systemCodec: Codec = {
  compress(content, coding, effort) {
    const level = LEVELS[effort][coding];
    switch (coding) {
      case "br":
        return brotliCompressSync(content, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: level,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        });
      case "zstd":
        return Bun.zstdCompressSync(content, { level });
      case "gzip":
        return gzipSync(content, { level });
    }
  },
};
