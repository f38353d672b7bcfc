import type { Alias, Deployment } from "../../../api/types.ts";
import { formatNumber } from "../../../format.ts";

export interface DeploymentRow {
  readonly deployment: Deployment;
  /** The aliases that point to it. */
  readonly aliases: readonly Alias[];
  readonly isPinned: boolean;
}

/** The deployments of a site by their state for visitors; each group newest first. */
interface Groups {
  readonly live: readonly DeploymentRow[];
  /** Never published. */
  readonly previews: readonly DeploymentRow[];
  /** Published before. */
  readonly earlier: readonly DeploymentRow[];
}

export function rowsOf(
  deployments: readonly Deployment[],
  aliases: readonly Alias[],
  pinned: readonly number[],
): readonly DeploymentRow[] {
  const pointing = Map.groupBy(aliases, (alias) => alias.deployment_number);
  return deployments.map((deployment) => ({
    deployment,
    aliases: pointing.get(deployment.deployment_number) ?? [],
    isPinned: pinned.includes(deployment.deployment_number),
  }));
}

/** Returns the rows by group. Of several live ones all but the newest are from an older page that is not yet reloaded. */
export function groupsOf(rows: readonly DeploymentRow[]): Groups {
  const live = rows.find(({ deployment }) => deployment.active);
  const others = rows.filter((row) => row !== live);
  const previews = others.filter(({ deployment }) => deployment.activated_at === null);
  const earlier = others.filter(({ deployment }) => deployment.activated_at !== null);
  return { live: live ? [live] : [], previews, earlier };
}

/** `19`, or `newest 19` if older ones are not loaded. */
export function countNote(loaded: number, isWhole: boolean): string {
  return isWhole ? formatNumber(loaded) : `newest ${formatNumber(loaded)}`;
}

/** Returns whether the column of aliases and their expiry has something to show. */
export function hasAlias({ aliases, deployment }: DeploymentRow): boolean {
  return aliases.length > 0 || (deployment.expires_at ?? "") !== "";
}

export interface Filter {
  readonly show: "all" | "published" | "previews";
  readonly text: string;
  readonly withWarnings: boolean;
  readonly pinned: boolean;
}

export const NO_FILTER: Filter = { show: "all", text: "", withWarnings: false, pinned: false };

export function isShown({ deployment, aliases, isPinned }: DeploymentRow, filter: Filter): boolean {
  const isPreview = deployment.activated_at === null;
  if (filter.show !== "all" && isPreview !== (filter.show === "previews")) return false;
  if (filter.withWarnings && deployment.warnings.length === 0) return false;
  if (filter.pinned && !isPinned) return false;
  const { message, commit, ref, actor, deployment_number } = deployment;
  const texts = [`#${deployment_number}`, message, commit, ref, actor, ...aliases.map(({ name }) => name)];
  const wanted = filter.text.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}
