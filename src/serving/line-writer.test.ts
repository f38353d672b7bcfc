import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineWriter } from "./line-writer.ts";

async function onFile(use: (fd: number, read: () => string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-lines-"));
  const file = join(folder, "log");
  const fd = openSync(file, "w");
  try {
    await use(fd, () => readFileSync(file, "utf8"));
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

test("lines are written together after a moment, and the rest when it closes", () =>
  onFile(async (fd, read) => {
    const lines = lineWriter(fd, 5);
    lines.write("one\n");
    lines.write("two\n");
    while (read() !== "one\ntwo\n") await Bun.sleep(1);
    lines.write("three\n");
    lines.close();
    expect(read()).toBe("one\ntwo\nthree\n");
  }));

test("more than a reader takes is dropped and counted, and nobody waits", () =>
  onFile(async (fd, read) => {
    const lines = lineWriter(fd, 60_000);
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 6000; count++) lines.write(line);
    lines.close();
    expect(read()).toMatch(/ 1903 lines were dropped: nobody reads fast enough\n$/);
  }));

test("a log that cannot be written stops nothing", () => {
  const lines = lineWriter(9999, 60_000);
  lines.write("lost\n");
  lines.close();
});
