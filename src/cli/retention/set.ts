import { UsageError } from "../errors.ts";
import { findSite, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";

interface Options extends OperatorOptions {
  readonly keepLast?: string;
  readonly keepDays?: string;
  readonly default?: boolean;
}

/** Gives a site a policy of its own, or takes it away. */
export async function run(terminal: Terminal, siteName: string, options: Options): Promise<void> {
  const last = wholeNumber("--keep-last", options.keepLast);
  const days = wholeNumber("--keep-days", options.keepDays);
  const named = last !== null || days !== null;
  if (named === (options.default === true)) {
    throw new UsageError(
      "Say what to keep: --keep-last N, --keep-days N or both; or --default for the instance's own rule.",
    );
  }
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    await store.retention.setPolicy(site.id, named ? { last, days } : null);
    const subject = named ? `last=${last ?? "off"} days=${days ?? "off"}` : "default";
    await record("retention set", { site: siteName, subject });
    terminal.say(
      `${terminal.style.green("✓")} ${siteName} has ${named ? "a policy of its own" : "the instance's policy"}.`,
    );
    terminal.say(`What it would remove: vitrine retention show ${siteName}`);
  });
}

function wholeNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`${option}: ${JSON.stringify(text)} is not usable; give a whole number from 1.`);
}
