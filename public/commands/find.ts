import type { Command, CommandGroup } from "./command.ts";

/** A site in the palette. */
interface FoundSite {
  readonly name: string;
  /** The displayed hostname: the matching one, if any. */
  readonly host: string;
  readonly href: string;
  /** Opens in a new tab, because the user does not manage it. */
  readonly away: boolean;
}

export interface Findable extends Omit<FoundSite, "host"> {
  readonly hosts: readonly string[];
}

const MAX_SITES = 8;

/**
 * Returns the sites whose name or hostname contains the text: first names that start with it, then names, then
 * hostnames. Without a text it returns the first ones.
 */
export function findSites(sites: readonly Findable[], text: string): FoundSite[] {
  const wanted = text.trim().toLowerCase();
  const ranked: FoundSite[][] = [[], [], []];
  for (const { name, hosts, href, away } of sites) {
    const at = name.indexOf(wanted);
    const host = hosts.find((host) => host.includes(wanted));
    const rank = at === 0 ? 0 : at > 0 ? 1 : host === undefined ? null : 2;
    if (rank !== null) ranked[rank]?.push({ name, href, away, host: host ?? hosts[0] ?? "" });
  }
  return ranked.flat().slice(0, MAX_SITES);
}

/** Returns the groups with the commands whose name has words that start with the words of the text. */
export function findCommands(groups: readonly CommandGroup[], text: string): CommandGroup[] {
  const wanted = wordsOf(text);
  const matches = ({ name }: Command) => {
    const words = wordsOf(name);
    return wanted.every((start) => words.some((word) => word.startsWith(start)));
  };
  return groups
    .map(({ name, commands }) => ({ name, commands: commands.filter(matches) }))
    .filter(({ commands }) => commands.length > 0);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Splits a text into three around `part`; the whole text is the first part if it does not contain it. */
export function around(text: string, part: string): [before: string, match: string, after: string] {
  const wanted = part.trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at === -1) return [text, "", ""];
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)];
}
