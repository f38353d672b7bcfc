import { may } from "../../../src/domain/model/role.ts";
import { formatNumber } from "../../format.ts";
import type { SiteRow } from "./rows.ts";

/** The selected sites that the list shows, on which actions work, and the number of those that a filter hides. */
export interface Selection {
  readonly rows: readonly SiteRow[];
  readonly hidden: number;
}

/** Returns the selection in the list that is shown. The user may change at least the tags of each. */
export function selectionOf(
  all: readonly SiteRow[],
  shown: readonly SiteRow[],
  chosen: ReadonlySet<string>,
): Selection {
  const isSelected = ({ name, role }: SiteRow) => isSelectable({ role }) && chosen.has(name);
  const rows = shown.filter(isSelected);
  return { rows, hidden: all.filter(isSelected).length - rows.length };
}

/** Returns whether actions on several sites include this one. */
export function isSelectable({ role }: Pick<SiteRow, "role">): boolean {
  return may(role, "change_tags");
}

/** `2 selected`, `2 selected, 1 hidden`. */
export function selectionWords({ rows, hidden }: Selection): string {
  const selected = `${formatNumber(rows.length)} selected`;
  return hidden === 0 ? selected : `${selected}, ${formatNumber(hidden)} hidden`;
}

/** Enough names to recognize a mistake. */
const NAMED = 6;

/** `atlas, blog and 3 more`. */
export function namesOf(rows: readonly Pick<SiteRow, "name">[]): string {
  const names = rows.slice(0, NAMED).map(({ name }) => name);
  const more = rows.length - names.length;
  if (more > 0) return `${names.join(", ")} and ${formatNumber(more)} more`;
  const [last = "", ...others] = names.reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

/** A site that was not changed, and why. */
interface Refusal extends Pick<SiteRow, "name"> {
  readonly reason: string;
}

/** `atlas and blog were made private.` */
export function successWords(changed: readonly Pick<SiteRow, "name">[], what: string): string {
  return `${namesOf(changed)} ${changed.length === 1 ? "was" : "were"} ${what}.`;
}

/** Says which sites were not changed, and why the first was not. */
export function refusalWords(refused: readonly Refusal[], what: string): string {
  const [first] = refused;
  const reason = refused.length === 1 ? first?.reason : `${first?.name}: ${first?.reason}`;
  return `${namesOf(refused)} ${refused.length === 1 ? "was" : "were"} not ${what}. ${reason}`;
}
