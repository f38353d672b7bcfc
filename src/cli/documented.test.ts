import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import type { Command } from "commander";
import { routesTable } from "../../scripts/routes-table.ts";
import { EXECUTABLE } from "./program/executable.ts";
import { withPermissionsTable } from "./program/permissions-table.ts";
import { buildProgram } from "./program/program.ts";
import { referencePage } from "./program/reference.ts";
import { capturedTerminal } from "./testing/run-cli.ts";

const ROOT = join(import.meta.dir, "..", "..");
const program = buildProgram(capturedTerminal(), EXECUTABLE);

/** The vitrine commands in code spans and code blocks of a page, as lists of words. */
function commandsIn(markdown: string): string[][] {
  const code = [...markdown.matchAll(/```\w*\n(.*?)```|`([^`\n]+)`/gs)].flatMap(([, block, span]) => {
    return span === undefined ? (block ?? "").split("\n") : [span];
  });
  return code.flatMap((line) => {
    // In Docker and Kubernetes commands, vitrine is also a resource name.
    const isInContainer = /^(docker|kubectl) /.test(line);
    const pattern = isInContainer ? /(?:--|vitrine) vitrine ([a-z]+\b.*)/ : /(?:^|[\s(/])vitrine ((?:[a-z]+\b|--).*)/;
    const [, words] = pattern.exec(line) ?? [];
    return words === undefined ? [] : [words.replace(/[;|)].*/, "").split(/\s+/)];
  });
}

/** Returns the part of a command line that the program does not accept; null if it accepts everything. */
function unknownIn(words: readonly string[]): string | null {
  let command: Command = program;
  for (const word of words) {
    if (word.startsWith("--")) {
      const [flag] = /^--[a-z-]+/.exec(word) ?? [];
      const known = [program, command].some(({ options }) => options.some(({ long }) => long === flag));
      if (!known && flag !== "--help") return word;
    } else if (command.commands.length > 0 && /^[a-z]+$/.test(word)) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (!next) return word;
      command = next;
    }
  }
  return null;
}

test("every command and flag in the documentation exists", async () => {
  const docs = [...new Glob("docs/**/*.md").scanSync({ cwd: ROOT, absolute: true })];
  // The reference is generated from the commands.
  const pages = [join(ROOT, "README.md"), ...docs.filter((page) => !page.endsWith("/reference.md"))];
  const found: string[] = [];
  const unknown: string[] = [];
  for (const page of pages) {
    for (const words of commandsIn(await Bun.file(page).text())) {
      found.push(words.join(" "));
      const stranger = unknownIn(words);
      if (stranger !== null) unknown.push(`${page}: vitrine ${words.join(" ")}: ${stranger}`);
    }
  }
  expect(unknown).toEqual([]);
  expect(found.length).toBeGreaterThan(10);
});

test("docs/reference.md is up to date", async () => {
  const page = await Bun.file(join(ROOT, "docs", "reference.md")).text();
  expect(page, "update it with: npm run reference").toBe(referencePage(capturedTerminal(), await routesTable()));
});

test("the table of permissions in docs/members.md is up to date", async () => {
  const page = await Bun.file(join(ROOT, "docs", "members.md")).text();
  expect(page, "update it with: npm run reference").toBe(withPermissionsTable(page));
});

test.each([["users invent"], ["deploy dist --sight x"], ["invent"]])("%p would be detected", (line) => {
  expect(unknownIn(line.split(" "))).not.toBeNull();
});
