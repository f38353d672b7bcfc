import type { JSX } from "preact";
import type { Alias, Deployment } from "../../../api/types.ts";
import { Icon } from "../../../parts/icons.tsx";
import { Avatar } from "../../../parts/status.tsx";
import { expiryOf, originOf } from "./words.ts";

/** Commit and branch, or the origin of the deployment. */
export function OriginLine({ deployment }: { deployment: Deployment }): JSX.Element {
  const { commit, branch, otherwise } = originOf(deployment);
  return (
    <>
      {commit !== null && (
        <span class="ref" title={deployment.commit ?? ""}>
          <Icon name="commit" />
          <code>{commit}</code>
        </span>
      )}
      {branch !== null && (
        <span class="ref">
          <Icon name="branch" />
          <span class="cut">{branch}</span>
        </span>
      )}
      {otherwise !== null && <span>{otherwise}</span>}
    </>
  );
}

/** The actor: a user, or a machine with a token. */
export function Actor({ deployment }: { deployment: Deployment }): JSX.Element {
  const isMachine = deployment.source === "deployment_token";
  return (
    <>
      <Avatar name={deployment.actor} machine={deployment.agent === null ? (isMachine ? "key" : undefined) : "agent"} />
      <span class="cut who-name">
        <span class="visually-hidden">{isMachine ? "by token " : "by "}</span>
        {deployment.agent !== null && `${deployment.agent} for `}
        {deployment.actor}
      </span>
    </>
  );
}

/** The host of an alias, with its name first. */
export function AliasLink({ alias, site }: { alias: Alias; site: string }): JSX.Element {
  return (
    <a class="cut above mono-link" href={alias.url} target="_blank" rel="noopener">
      {alias.name}
      <span class="faint">--{site}</span>
    </a>
  );
}

/** Amber within a day. Empty without an expiry. */
export function Expires({ at }: { at: string | null }): JSX.Element | null {
  const expiry = expiryOf(at, Date.now());
  if (expiry === null) return null;
  return (
    <span class={`tiny ${expiry.soon ? "warn" : "faint"}`} title={at === null ? undefined : new Date(at).toString()}>
      {expiry.text}
    </span>
  );
}
