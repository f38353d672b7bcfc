import { may } from "../../../../src/domain/model/role.ts";
import type { Alias, Deployment, DomainClaim, Site } from "../../../api/types.ts";
import type { IconName } from "../../../parts/icons.tsx";
import { settingsPath, sitePath } from "../../../router.ts";
import { detailsPath } from "../deployments/resources.ts";
import { expiryOf, span } from "../deployments/words.ts";

/** The recommended next step, with its page. */
interface NextStep {
  readonly icon: IconName;
  readonly tone?: "warn";
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly href: string;
}

interface Facts {
  readonly site: Pick<Site, "name" | "active_deployment" | "role">;
  /** Newest first. */
  readonly deployments: readonly Deployment[];
  readonly aliases: readonly Alias[];
  /** Those that can still make progress. */
  readonly claims: readonly DomainClaim[];
  readonly now: number;
}

/** Returns the most important step that the role allows; null if there is nothing to do. */
export function nextStepOf(facts: Facts): NextStep | null {
  const toConnect = may(facts.site.role, "manage_domains") ? [toRepair, toVerify, toPoint] : [];
  for (const step of [toPublish, toGoBack, ...toConnect, toExtend]) {
    const found = step(facts);
    if (found !== null) return found;
  }
  return null;
}

// --- internal ---

/** A site whose first deployments are previews responds with a page that says so. */
function toPublish({ site, deployments }: Facts): NextStep | null {
  const [newest] = deployments;
  if (site.active_deployment !== null || newest === undefined) return null;
  return {
    icon: "upload",
    title: "Publish a deployment.",
    text: "Visitors get a page that says that nothing is published yet.",
    action: `Show #${newest.deployment_number}`,
    href: sitePath(site.name, "deployments"),
  };
}

function toGoBack({ site, deployments }: Facts): NextStep | null {
  const live = deployments.find(({ active }) => active);
  if (!live?.start_page_gone) return null;
  return {
    icon: "warning",
    tone: "warn",
    title: "The start page is gone.",
    text: `Visitors of the site's URL get a 404 page with deployment ${live.deployment_number}. Deploy a version that has one, or roll back.`,
    action: "Choose a deployment",
    href: sitePath(site.name, "deployments"),
  };
}

function toRepair({ site, claims }: Facts): NextStep | null {
  const claim = claims.find(({ connection_status }) => connection_status === "action_needed");
  if (!claim) return null;
  return {
    icon: "warning",
    tone: "warn",
    title: `${claim.hostname} needs attention.`,
    text: "Its DNS records have changed, or are missing.",
    action: "Show what to do",
    href: settingsPath(site.name, "domains"),
  };
}

function toVerify({ site, claims, now }: Facts): NextStep | null {
  const claim = claims.find(({ status }) => status === "pending");
  if (!claim) return null;
  return {
    icon: "globe",
    title: `Verify ${claim.hostname}.`,
    text: `Add one TXT record within ${span(Math.max(0, Date.parse(claim.expires_at) - now))}.`,
    action: "Show record",
    href: settingsPath(site.name, "domains"),
  };
}

function toPoint({ site, claims }: Facts): NextStep | null {
  const claim = claims.find(({ connection_status, activated_at }) => {
    return connection_status === "waiting_for_dns" && activated_at === null;
  });
  if (!claim) return null;
  return {
    icon: "globe",
    title: `Point ${claim.hostname} to this server.`,
    text: "It is verified, and waits for its address records.",
    action: "Show records",
    href: settingsPath(site.name, "domains"),
  };
}

function toExtend({ site, aliases, now }: Facts): NextStep | null {
  const alias = aliases.find(({ expires_at }) => expiryOf(expires_at, now)?.soon);
  if (!alias?.expires_at) return null;
  return {
    icon: "clock",
    tone: "warn",
    title: `The preview ${alias.name} ends soon.`,
    text: `${expiryOf(alias.expires_at, now)?.text}.`,
    action: `Show #${alias.deployment_number}`,
    href: detailsPath(site.name, alias.deployment_number),
  };
}
