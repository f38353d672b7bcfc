import { describe, expect, test } from "bun:test";
import { barLine } from "./progress-bar.ts";
import { printable, styleFor } from "./style.ts";
import { table } from "./table.ts";
import { count, formatDuration, formatTime } from "./units.ts";

test.each([
  [84.4, "84 ms"],
  [1234, "1.2 s"],
  [125_000, "2 min 5 s"],
])("%p milliseconds are written %p", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("counts carry their noun", () => {
  expect([count(1, "file"), count(5000, "file")]).toEqual(["1 file", "5,000 files"]);
});

test("an empty timestamp of the API is never", () => {
  expect([formatTime(""), formatTime(null)]).toEqual(["never", "never"]);
  expect(formatTime("2026-11-20T16:05:12.418Z")).toMatch(/^2026-11-2[01] \d\d:\d5$/);
});

describe("tables", () => {
  test("line up, also with wide characters, and end without blanks", () => {
    expect(
      table(
        styleFor(false),
        ["NAME", "BY"],
        [
          ["展示", "ada"],
          ["brisk-otter", ""],
        ],
      ),
    ).toBe("NAME         BY\n展示         ada\nbrisk-otter");
  });

  test("pass no escape sequences on to the terminal", () => {
    expect(table(styleFor(false), ["NAME"], [["a\x1b]0;owned\x07\nb"]])).toBe("NAME\na\ufffd]0;owned\ufffd\ufffdb");
  });
});

test("printable keeps text and takes controls away", () => {
  expect(printable("grün 展示 \x9b31m\x7f")).toBe("grün 展示 \ufffd31m\ufffd");
});

describe("the progress bar", () => {
  const terminal = (columns: number) => ({ columns, style: styleFor(false) });

  test.each([
    [0, " 0 %  0 bytes of 2 KiB"],
    [1024, "50 %  1 KiB of 2 KiB"],
    [2048, "100 %  2 KiB of 2 KiB"],
  ])("shows how far it is after %p bytes", (done, text) => {
    expect(barLine(terminal(80), "Uploading", done, 2048)).toContain(text);
  });

  test("never grows beyond 100 %", () => {
    expect(barLine(terminal(80), "Uploading", 9999, 2048)).toContain("100 %");
  });

  test.each([80, 40, 20, 10])("fits a terminal of %p columns", (columns) => {
    expect(Bun.stringWidth(barLine(terminal(columns), "Uploading", 1024, 2048))).toBeLessThan(columns);
  });
});
