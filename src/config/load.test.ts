import { expect, test } from "bun:test";
import { loadSettings } from "./load.ts";
import { path, wholeNumber } from "./parsers.ts";
import { setting } from "./setting.ts";

const TABLE = {
  dataDir: setting({
    flag: "data-dir",
    value: "FOLDER",
    parse: path,
    default: "/nowhere",
    defaultText: "/nowhere",
    help: "the data folder",
  }),
  pin: setting({
    flag: "pin",
    value: "PIN",
    parse: wholeNumber(0, 9999),
    default: 0,
    defaultText: "0",
    help: "a secret number",
    secret: true,
  }),
};

test("what was given for a secret is not repeated when it cannot be used", () => {
  const attempt = () => loadSettings(TABLE, { env: { VITRINE_PIN: "hunter2" } });
  expect(attempt).toThrow("VITRINE_PIN: the value is not usable; give a whole number 0-9999.");
});
