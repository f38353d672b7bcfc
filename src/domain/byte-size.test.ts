import { expect, test } from "bun:test";
import { formatBytes } from "./byte-size.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [1024, "1 KiB"],
  [49_373, "48.2 KiB"],
  [536_870_912, "512 MiB"],
  [1_047_500, "1023 KiB"],
  [1_048_575, "1 MiB"],
  [102_360, "100 KiB"],
  [1.5 * 1024 ** 4, "1.5 TiB"],
  [9000 * 1024 ** 4, "9000 TiB"],
])("%p bytes are formatted as %p", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
