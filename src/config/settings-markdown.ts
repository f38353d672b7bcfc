import { type SettingsTable, variableOf } from "./setting.ts";

/** Renders a settings table as Markdown, one row a setting. */
export function settingsMarkdown(table: SettingsTable): string {
  const rows = Object.values(table).map(
    ({ flag, help, defaultText }) => `| \`--${flag}\` | \`${variableOf(flag)}\` | ${defaultText} | ${help} |`,
  );
  return ["| flag | variable | default | what it does |", "|---|---|---|---|", ...rows].join("\n");
}
