import { describe, expect, test } from "bun:test";
import { chooseEncoding, parseAcceptEncoding } from "./accept-encoding.ts";

const sizes = { identity: 100, zstd: 40, br: 39, gzip: 45 };

describe("the chosen encoding", () => {
  test.each([
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["zstd", "zstd"],
    ["GZIP;Q=1.0", "gzip"],
    ["x-gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["*", "br"],
    ["*;q=0.5, br;q=0", "zstd"],
    ["identity", "identity"],
    ["identity, br;q=0.5", "identity"],
    ["gzip, identity", "gzip"],
    ["gzip;q=0.5, identity;q=0.5", "gzip"],
    ["identity;q=0", "identity"],
    ["*;q=0", "identity"],
    ["identity;q=0, *;q=0", "identity"],
    ["deflate, compress", "identity"],
    ["br;q=nonsense", "identity"],
    ["br;q=2", "identity"],
    [",,,", "identity"],
    [`${"a,".repeat(100)}br`, "identity"],
  ])("for %p is %s", (header, encoding) => {
    expect(chooseEncoding(parseAcceptEncoding(header), sizes)).toBe(encoding as "identity");
  });

  test("is one that is stored", () => {
    expect(chooseEncoding(parseAcceptEncoding("br, gzip;q=0.5"), { identity: 9, gzip: 5 })).toBe("gzip");
    expect(chooseEncoding(parseAcceptEncoding("br, gzip"), { identity: 9 })).toBe("identity");
  });

  test("is zstd rather than br of the same size", () => {
    expect(chooseEncoding(parseAcceptEncoding("br, zstd"), { identity: 9, br: 5, zstd: 5 })).toBe("zstd");
  });
});
