import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDataFolderConfig, type Sources } from "../config/settings.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { dataFolder, lockDataFolder } from "../storage/folder/data-folder.ts";
import { findDataFolder, placeForDataFolder, placeToExamine } from "./find-data-folder.ts";

/** The units that install.sh writes name no folder with a space. */
const PLACE = /\s/.test(tmpdir()) ? "/tmp" : tmpdir();
const before = process.cwd();
let home: string;
const at = (name: string) => join(home, name);

beforeEach(() => {
  home = mkdtempSync(join(PLACE, "vitrine-find-"));
  process.chdir(home);
});
afterEach(() => {
  process.chdir(before);
  rmSync(home, { recursive: true });
});

/** Writes a unit as `install.sh` does, with these settings. */
function install(command = `serve --config ${at("vitrine.toml")}`, more = ""): void {
  writeFileSync(at("vitrine.toml"), `data-dir = "${at("installed")}"\n`);
  writeFileSync(at("vitrine.service"), `[Service]\n${more}ExecStart=/usr/local/bin/vitrine ${command}\nUser=vitrine\n`);
}

const find = (sources: Sources = {}) => findDataFolder(loadDataFolderConfig, sources, at("vitrine.service"));
const found = (sources: Sources = {}) => find(sources).config.dataDir;

describe("the data folder of a command", () => {
  test("is that of --data-dir before that of VITRINE_DATA_DIR", async () => {
    for (const name of ["flag", "variable", "vitrine-data"]) await makeDataFolder(at(name));
    const env = { VITRINE_DATA_DIR: at("variable") };
    expect(found({ flags: { dataDir: at("flag") }, env })).toBe(at("flag"));
    expect(found({ env })).toBe(at("variable"));
  });

  test("is the installed service's before the one in the working folder", async () => {
    install();
    for (const name of ["installed", "vitrine-data"]) await makeDataFolder(at(name));
    expect(find()).toMatchObject({
      config: { dataDir: at("installed") },
      settingsFile: at("vitrine.toml"),
      isInstalled: true,
    });
    expect(found({ env: { VITRINE_DATA_DIR: at("vitrine-data") } })).toBe(at("vitrine-data"));
  });

  test("is the one of these two that a server uses", async () => {
    install();
    for (const name of ["installed", "vitrine-data"]) await makeDataFolder(at(name));
    const release = lockDataFolder(dataFolder(at("vitrine-data")));
    expect(found()).toBe(at("vitrine-data"));
    release?.();
    expect(found()).toBe(at("installed"));
  });

  test("needs no database if the settings name one in PostgreSQL", async () => {
    install();
    await makeDataFolder(at("vitrine-data"));
    const env = { VITRINE_DATABASE: "postgres://db.example.org/vitrine" };
    expect(find({ env }).config).toMatchObject({ dataDir: at("installed"), database: { database: "vitrine" } });
    // Without the setting, the command says so, and no other folder is taken for it.
    expect(found()).toBe(at("vitrine-data"));
    mkdirSync(at("installed"));
    writeFileSync(at("installed/replica.db"), "");
    expect(found()).toBe(at("installed"));
  });

  test("is the one in the working folder if the installed service was never started", async () => {
    install();
    await makeDataFolder(at("vitrine-data"));
    expect(find()).toMatchObject({ config: { dataDir: at("vitrine-data") }, settingsFile: null, isInstalled: false });
  });

  test.each([
    ["an option", () => `serve --data-dir ${at("installed")} --listen :80`, ""],
    ["an option with =", () => `serve --data-dir=${at("installed")}`, ""],
    ["a long command", () => `serve \\\n  --data-dir ${at("installed")}`, ""],
    ["a variable", () => "serve", () => `Environment="VITRINE_DATA_DIR=${at("installed")}" VITRINE_TLS=off\n`],
  ])("is read from a unit that names it by %s", async (_how, command, more) => {
    await makeDataFolder(at("installed"));
    install(command(), typeof more === "string" ? more : more());
    expect(found()).toBe(at("installed"));
  });

  test("is never replaced by another one if it was named but has no database", async () => {
    await makeDataFolder(at("vitrine-data"));
    const error = (sources: Sources) => {
      expect(() => find(sources)).toThrow("name the server's data folder with --data-dir; only vitrine serve makes");
      expect(() => find(sources)).toThrow(`there is no database in ${at("typo")} (named by `);
    };
    error({ flags: { dataDir: at("typo") } });
    error({ env: { VITRINE_DATA_DIR: at("typo") } });
  });

  test("is reported as missing with all searched folders, and not created", () => {
    install();
    expect(() => find()).toThrow(
      `there is no database in ${at("installed")} (of the installed service) nor in ${at("vitrine-data")} (in the working folder)`,
    );
    expect(readdirSync(home).sort()).toEqual(["vitrine.service", "vitrine.toml"]);
  });
});

test("defaults to the installed service's before the first start, else to the working folder", () => {
  const place = () => placeForDataFolder(loadDataFolderConfig, {}, at("vitrine.service")).config.dataDir;
  expect(place()).toBe(at("vitrine-data"));
  install();
  expect(place()).toBe(at("installed"));
});

test("a server is examined before its first start where it was named or installed, and else only where there is one", () => {
  const examined = (sources: Sources = {}) =>
    placeToExamine(loadDataFolderConfig, sources, at("vitrine.service")).config.dataDir;
  expect(examined({ flags: { dataDir: at("new") } })).toBe(at("new"));
  expect(() => examined()).toThrow(`there is no database in ${at("vitrine-data")} (in the working folder)`);
  mkdirSync(at("vitrine-data"));
  expect(examined()).toBe(at("vitrine-data"));
  install();
  expect(examined()).toBe(at("installed"));
});
