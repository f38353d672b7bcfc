import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { loadSettings } from "./load.ts";
import { folder as folderParser, wholeNumber } from "./rows/parsers.ts";
import { setting, settings } from "./rows/setting.ts";

const TABLE = settings({
  dataDir: setting(folderParser, "/nowhere", "the data folder"),
  pin: setting(wholeNumber(0, 9999), 0, "a secret number", { secret: true }),
});

test("a settings file that is missing, or is a folder, is named with what is wrong", () => {
  const folder = import.meta.dir;
  const reading = (configFile: string) => () => loadSettings(TABLE, { configFile });
  const missing = join(folder, "none.toml");
  expect(reading(missing)).toThrow(`${missing}: there is no such settings file; check --config and VITRINE_CONFIG`);
  expect(reading(folder)).toThrow(`${folder}: this settings file is a folder`);
});

test("the value of a secret is not repeated in an error", () => {
  const attempt = () => loadSettings(TABLE, { env: { VITRINE_PIN: "hunter2" } });
  expect(attempt).toThrow("VITRINE_PIN: the value is not usable; give a whole number 0-9999");
});

describe("not even from a file", () => {
  let folder: string;
  let configFile: string;
  beforeEach(() => {
    folder = temporaryFolder();
    configFile = join(folder, "vitrine.toml");
  });

  const load = (toml: string, env: Record<string, string> = {}, flags: Record<string, string> = {}) => {
    writeFileSync(configFile, toml);
    return loadSettings(TABLE, { env, flags, configFile });
  };

  test.each([
    ["pin = 1\n\n# why\nbase url = 2\nother = 3\n", 4],
    ["pin = 1\r\nother = yes\r\n", 2],
    ["pin = 1\nother = [\n  1,\n  2\nmore = 3\n", 2],
    ["list = [\n  1,\n]\npin = 1\npin = 2", 5],
    ["=", 1],
  ])("invalid TOML is reported with its line: %p", (toml, line) => {
    expect(() => load(toml)).toThrow(`${configFile}, line ${line}: not a TOML file: `);
  });

  test.each([
    ["pin = s3cr3t", "Strings must be quoted"],
    ["pin = s3cr3t and more", "Strings must be quoted"],
    ["pin = [1 s3cr3t]", "Expected ',' or ']' in an array"],
    ["pin s3cr3t", "Expected '=' after a key"],
    ["pin = 12s3cr3t", "Unexpected character after a value"],
    ['pin = "\\s3cr3t"', "Invalid escape sequence"],
    ["'s3cr3t' = 1\n's3cr3t' = 2", "Cannot redefine key"],
    ["pin = 's3cr3t", "Unterminated string"],
  ])("invalid TOML is reported without its content: %p", (toml, why) => {
    const message = new RegExp(`: not a TOML file: TOML Parse error: ${RegExp.escape(why)}$`);
    expect(() => load(toml)).toThrow(message);
  });

  test("an invalid value stops the start, even if a variable or a flag overrides it", () => {
    const unusable = `${configFile}: pin: the value is not usable; give a whole number 0-9999`;
    expect(() => load("pin = 'x'", { VITRINE_PIN: "1" })).toThrow(unusable);
    expect(() => load("pin = 'x'", {}, { pin: "1" })).toThrow(unusable);
    expect(() => load("pin = 2", { VITRINE_PIN: "x" }, { pin: "1" })).toThrow("VITRINE_PIN: the value is not usable");
    expect(load("pin = 3", { VITRINE_PIN: "2" }, { pin: "1" }).pin).toBe(1);
  });

  test("vitrine.toml cannot move the data folder that contains it", () => {
    writeFileSync(configFile, 'data-dir = "/elsewhere"');
    const table = { ...TABLE, dataDir: { ...TABLE.dataDir, default: folder } };
    expect(() => loadSettings(table, {})).toThrow("use --data-dir");
  });
});
