import { describe, expect, test } from "bun:test";
import { runAtTerminal } from "../testing/pseudo-terminal.ts";
import { capturedTerminal } from "../testing/run-cli.ts";
import { stubServer } from "../testing/stub-server.ts";
import { barLine } from "./progress.ts";
import { harmless, styleFor } from "./style.ts";
import { type Column, type ListOptions, printList, printTable } from "./table.ts";
import { count, formatDuration, formatTime } from "./units.ts";

test.each([
  [84.4, "84 ms"],
  [1234, "1.2 s"],
  [999.6, "1.0 s"],
  [59_970, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%p milliseconds are formatted as %p", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("counts have the right plural", () => {
  expect([count(1, "file"), count(5000, "file")]).toEqual(["1 file", "5,000 files"]);
});

test("an empty timestamp of the API is shown as never", () => {
  expect([formatTime(""), formatTime(null)]).toEqual(["never", "never"]);
  expect(formatTime("2026-11-20T16:05:12.418Z")).toMatch(/^2026-11-2[01] \d\d:\d[05]$/);
});

describe("tables", () => {
  const COLUMNS: readonly Column<readonly string[]>[] = [
    column("NAME", 0),
    { ...column("ERROR", 1), cut: true },
    { ...column("CREATED", 2), optional: true },
    { ...column("NOTE", 3), optional: true },
  ];
  const ROWS = [
    ["brisk-otter", "no answer from 203.0.113.7 within 10 s", "2026-11-20 16:05", ""],
    ["展示", "", "2026-11-21 09:00", ""],
  ];

  function column(title: string, index: number): Column<readonly string[]> {
    return { title, value: (row) => row[index] as string };
  }

  /** Returns the output for a terminal of this width, or for a pipe if it is null. */
  function shown(
    dataColumns: number | null,
    options: ListOptions = {},
    columns = COLUMNS,
    rows: readonly (readonly string[])[] = ROWS,
  ) {
    const terminal = { ...capturedTerminal(), dataColumns };
    printTable(terminal, columns, rows, options);
    return { data: terminal.out.join("").trimEnd().split("\n"), said: terminal.err.join("") };
  }

  const CUT = "Output truncated; use --long\n";

  test("are aligned, also with wide characters, and have no trailing blanks", () => {
    const rows = [
      ["展示", "ada"],
      ["brisk-otter", ""],
    ];
    const columns = [column("NAME", 0), column("BY", 1)];
    expect(shown(null, {}, columns, rows).data).toEqual(["NAME         BY", "展示         ada", "brisk-otter"]);
  });

  test("contain no escape sequences of their values", () => {
    expect(shown(null, {}, [column("NAME", 0)], [["a\x1b]0;owned\x07\nb"]]).data).toEqual([
      "NAME",
      "a\ufffd]0;owned\ufffd\ufffdb",
    ]);
  });

  test("are complete in a pipe", () => {
    expect(shown(null).data[0]).toBe("NAME         ERROR                                   CREATED           NOTE");
  });

  test("omit columns without values on a terminal", () => {
    expect(shown(80)).toEqual({
      data: [
        "NAME         ERROR                                   CREATED",
        "brisk-otter  no answer from 203.0.113.7 within 10 s  2026-11-20 16:05",
        "展示                                                 2026-11-21 09:00",
      ],
      said: "",
    });
  });

  test("truncate long values before they omit columns", () => {
    expect(shown(60)).toEqual({
      data: [
        "NAME         ERROR                          CREATED",
        "brisk-otter  no answer from 203.0.113.7 w…  2026-11-20 16:05",
        "展示                                        2026-11-21 09:00",
      ],
      said: CUT,
    });
    expect(shown(40).data[0]).toBe("NAME         ERROR");
  });

  test("print values below each other if even the required columns are too wide, and on request", () => {
    const block = [
      "brisk-otter",
      "  ERROR    no answer from 203.0.113.7",
      "           within 10 s",
      "  CREATED  2026-11-20 16:05",
    ];
    expect(shown(38, { long: true }).data.slice(0, 4)).toEqual(block);
    expect(shown(20).data.slice(0, 2)).toEqual(["brisk-otter", "  ERROR    no answer from 203.0.113.7 within 10 s"]);
  });

  test("print the only column that has values", () => {
    const columns = [column("LOGIN", 0), { ...column("NAME", 1), cut: true } as const];
    expect(shown(80, { long: true }, columns, [["ada", ""]])).toEqual({ data: ["ada"], said: "" });
  });

  test.each([120, 80, 60, 40])("fit %p columns", (columns) => {
    for (const line of shown(columns).data) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  });
});

test.each([
  [["ada"], {}, "NAME\nada\n", ""],
  [[], {}, "", "No names.\n"],
  [[], { json: true }, "[]\n", ""],
  [["ada"], { json: true, long: true }, '[\n  "ada"\n]\n', ""],
])("the list of %j with the options %j is printed", (names, options, out, err) => {
  const terminal = capturedTerminal();
  printList(terminal, names, { none: "No names.", columns: [{ title: "NAME", value: String }] }, options);
  expect([terminal.out.join(""), terminal.err.join("")]).toEqual([out, err]);
});

test("a harmless text keeps its lines and colours, and nothing else", () => {
  const { red } = styleFor(true);
  expect(harmless(`${red("error:")}\ta\n`)).toBe("\x1b[31merror:\x1b[39m\ta\n");
  expect(harmless("a\u202eb")).toBe("a\ufffdb");
  expect(harmless("a\x1b[2Jb\x1b[8mc\x1b]0;d\x07\r\x9b2J")).toBe("a\ufffd[2Jb\ufffd[8mc\ufffd]0;d\ufffd\ufffd\ufffd2J");
});

test("text of a server cannot rewrite the screen", async () => {
  const webhook = { id: "w", url: "https://example.org/\x1b]0;owned\x07", events: null, enabled: true };
  await using server = stubServer({ "PATCH /sites/demo/webhooks/w": Response.json(webhook) });
  const args = ["webhooks", "enable", "demo", "w", "--token", "t", "--server", server.url];
  const { status, screen } = await runAtTerminal(args, { XDG_CONFIG_HOME: "/nowhere" }).exited;
  expect(status).toBe(0);
  expect(screen).toContain("https://example.org/\ufffd]0;owned\ufffd.");
});

describe("the progress bar", () => {
  const terminal = (columns: number) => ({ columns, style: styleFor(false) });

  test.each([
    [0, " 0 %  0 bytes of 2 KiB"],
    [1024, "50 %  1 KiB of 2 KiB"],
    [2048, "100 %  2 KiB of 2 KiB"],
  ])("shows the progress after %p bytes", (done, text) => {
    expect(barLine(terminal(80), "Uploading", done, 2048)).toContain(text);
  });

  test("never grows beyond 100 %", () => {
    expect(barLine(terminal(80), "Uploading", 9999, 2048)).toContain("100 %");
  });

  test.each([80, 40, 20, 10])("fits a terminal of %p columns", (columns) => {
    expect(Bun.stringWidth(barLine(terminal(columns), "Uploading", 1024, 2048))).toBeLessThan(columns);
  });
});
