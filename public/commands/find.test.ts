import { expect, test } from "bun:test";
import { type Command, commandFor } from "./command.ts";
import { around, findCommands, findSites } from "./find.ts";

const site = (name: string, ...hosts: string[]) => ({ name, hosts, href: `/${name}`, away: false });
const SITES = [
  site("design", "ui.atlas.example", "design.vitrine.test"),
  site("the-atlas", "the-atlas.vitrine.test"),
  site("atlas-docs", "atlas.example"),
  site("blog", "blog.vitrine.test"),
];

test.each<[text: string, found: string[]]>([
  ["atl", ["atlas-docs atlas.example", "the-atlas the-atlas.vitrine.test", "design ui.atlas.example"]],
  [" BLOG ", ["blog blog.vitrine.test"]],
  ["design.v", ["design design.vitrine.test"]],
  ["nothing", []],
])("%p finds %j", (text, found) => {
  expect(findSites(SITES, text).map(({ name, host }) => `${name} ${host}`)).toEqual(found);
});

test("without a text the first eight sites are found", () => {
  const many = Array.from({ length: 20 }, (_, index) => site(`site-${index}`));
  expect(findSites(many, "").map(({ name }) => name)).toEqual(many.slice(0, 8).map(({ name }) => name));
});

const command = (name: string, ...keys: string[]): Command => ({ name, icon: "list", keys });
const GROUPS = [
  { name: "In atlas", commands: [command("Deploy a folder or a ZIP", "d"), command("Domains", "g", "d")] },
  { name: "Everywhere", commands: [command("New site", "n"), command("Sites", "g", "s")] },
];

test.each<[text: string, names: string[]]>([
  ["", ["Deploy a folder or a ZIP", "Domains", "New site", "Sites"]],
  ["d", ["Deploy a folder or a ZIP", "Domains"]],
  ["zip deploy", ["Deploy a folder or a ZIP"]],
  ["sit", ["New site", "Sites"]],
  ["ite", []],
])("%p finds the commands %j", (text, names) => {
  expect(findCommands(GROUPS, text).flatMap(({ commands }) => commands.map(({ name }) => name))).toEqual(names);
});

test.each<[typed: string[], name: string | null]>([
  [["d"], "Deploy a folder or a ZIP"],
  [["g"], "more"],
  [["g", "d"], "Domains"],
  [["g", "x"], null],
  [["x"], null],
])("the keys %j are %p", (typed, name) => {
  const found = commandFor(
    GROUPS.flatMap(({ commands }) => commands),
    typed,
  );
  expect(found === null || found === "more" ? found : found.name).toBe(name);
});

test.each([
  ["atlas-docs", "AS", ["atl", "as", "-docs"]],
  ["atlas-docs", "blog", ["atlas-docs", "", ""]],
  ["atlas-docs", "", ["atlas-docs", "", ""]],
])("%p is split around %p", (text, part, parts) => {
  expect(around(text, part)).toEqual(parts as [string, string, string]);
});
