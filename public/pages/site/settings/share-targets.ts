import type { Alias, Deployment, PreviewPolicy, Share, ShareRequest } from "../../../api/types.ts";
import { truncate } from "../../../format.ts";
import { titleOf } from "../deployments/words.ts";

/** A possible target of a share. `value` is for a form and for the URL of the page. */
export interface ShareTarget {
  readonly value: string;
  readonly words: string;
}

interface Facts {
  readonly isSitePrivate: boolean;
  readonly access: PreviewPolicy["access"];
  readonly aliases: readonly Alias[];
  /** Newest first. */
  readonly deployments: readonly Deployment[];
}

/** A deployment's title may be as long as the first line of a commit message; a choice shows its beginning. */
const MAX_TITLE = 50;

/** Returns the private parts of a site, for which a share is useful; none if everybody can open all of it. */
export function shareTargets({ isSitePrivate, access, aliases, deployments }: Facts): readonly ShareTarget[] {
  const arePreviewsPrivate = access === "private" || (access === "site" && isSitePrivate);
  const live = isSitePrivate ? [{ value: "live", words: "The live site" }] : [];
  if (!arePreviewsPrivate) return live;
  const named = new Set(aliases.map(({ deployment_number }) => deployment_number));
  const unnamed = deployments.filter((one) => one.activated_at === null && !named.has(one.deployment_number));
  return [
    ...live,
    ...aliases.map(({ name }) => ({ value: `alias:${name}`, words: name })),
    ...unnamed.map((deployment) => ({
      value: `deployment:${deployment.deployment_number}`,
      words: `#${deployment.deployment_number} ${truncate(titleOf(deployment) ?? "", MAX_TITLE)}`.trim(),
    })),
  ];
}

/** What a share of the target opens, within a sentence. */
export function opensWords({ value, words }: ShareTarget): string {
  if (value === "live") return "the live site";
  return value.startsWith("alias:") ? `the preview ${words}` : `the deployment ${words}`;
}

/** Returns the API's form of a target's value. */
export function targetOf(value: string): NonNullable<ShareRequest["target"]> {
  const [kind, name = ""] = value.split(":");
  if (kind === "alias") return { alias: name };
  return kind === "deployment" ? { deployment_number: Number(name) } : {};
}

/** `pr-52--blog`, `#7`, or the live site. */
export function targetWords({ alias, deployment_number }: Share["target"], site: string): string {
  if (alias !== null) return `${alias}--${site}`;
  return deployment_number === null ? "The live site" : `Deployment #${deployment_number}`;
}

/** Returns the URL of a share with a password. `siteUrl` has `{site}` in place of the host's first label. */
export function passwordUrl({ id, target }: Pick<Share, "id" | "target">, site: string, siteUrl: string): string {
  const name = target.alias ?? target.deployment_number;
  const label = name === null ? site : `${name}--${site}`;
  return `${siteUrl.replace("{site}", () => label)}/.vitrine/enter?id=${id}`;
}
