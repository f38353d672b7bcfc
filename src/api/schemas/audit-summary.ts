import type { AuditEntry } from "../../domain/ports/store/audit.ts";

/** What a route of the API or of our own pages did, in words; `of` is what it was about. */
const DONE: Readonly<Record<string, (of: Readonly<Record<string, string | undefined>>) => string>> = {
  "POST /deploy": (of) =>
    of.unchanged ? `Deployed the files of ${deployment(of)} again: nothing changed` : `Published ${deployment(of)}`,
  "DELETE /sites/:name": () => "Deleted the site",
  "POST /sites/:name/deployments/:deployment_number/activate": (of) => `Activated ${deployment(of)}`,
  "POST /sites/:name/deployments/:deployment_number/pin": (of) => `Pinned ${deployment(of)}`,
  "DELETE /sites/:name/deployments/:deployment_number/pin": (of) => `Unpinned ${deployment(of)}`,
  "PUT /sites/:name/retention": () => "Changed the retention policy",
  "DELETE /sites/:name/retention": () => "Reset retention to the server default",
  "PUT /sites/:name/access": () => "Made the site private",
  "DELETE /sites/:name/access": () => "Made the site public",
  "POST /sites/:name/access/readers": (of) => (of.login ? `Added the reader ${of.login}` : "Added a reader"),
  "DELETE /sites/:name/access/readers/:reader_id": () => "Removed a reader",
  "POST /sites/:name/domains": (of) => (of.hostname ? `Added the domain ${of.hostname}` : "Added a custom domain"),
  "DELETE /sites/:name/domains/:claim_id": () => "Removed a custom domain",
  "POST /sites/:name/domains/:claim_id/check": () => "Checked a custom domain",
  "POST /sites/:name/domains/:claim_id/transition/retry": () => "Retried a domain transition",
  "POST /sites/:name/domains/:claim_id/transition/cancel": () => "Cancelled a domain transition",
  "POST /sites/:name/webhooks": () => "Added a webhook",
  "PATCH /sites/:name/webhooks/:webhook_id": () => "Changed a webhook",
  "DELETE /sites/:name/webhooks/:webhook_id": () => "Deleted a webhook",
  "POST /sites/:name/webhooks/:webhook_id/rotate": () => "Rotated the secret of a webhook",
  "POST /sites/:name/webhooks/:webhook_id/test": () => "Sent a test to a webhook",
  "POST /sites/:name/webhooks/:webhook_id/deliveries/:delivery_id/retry": () => "Redelivered an event to a webhook",
  "POST /tokens": (of) => (of.token ? `Created the deployment token ${of.token}` : "Created a deployment token"),
  "DELETE /tokens/:token_id": () => "Revoked a deployment token",
  "POST /auth/password": () => "Changed the password",
  "DELETE /auth/session": () => "Signed out",
  "DELETE /auth/sessions/:session_id": () => "Ended a session",
  "POST /setup/:code": () => "Created the first account",
  "POST /sign-in": () => "Signed in",
  "GET /sign-in/callback": () => "Signed in",
  "GET /sign-in/wait": () => "Signed in",
  "POST /sign-out": () => "Signed out",
  "POST /device": () => "Approved or denied a device",
};

/** Older entries name no deployment. */
function deployment({ deployment_number: number }: Readonly<Record<string, string | undefined>>): string {
  return number === undefined ? "a deployment" : `deployment ${number}`;
}

/** Returns in words what was done; the operator's commands, and what has no words of its own, stay as the log has them. */
export function summaryOf({ action, subject }: Pick<AuditEntry, "action" | "subject">): string {
  // The operator's reason is free text, and may look like anything.
  if (action === "freeze") return subject === "" ? "Froze the site" : `Froze the site: ${subject}`;
  if (action === "unfreeze") return "Unfroze the site";
  const words = DONE[action]?.(Object.fromEntries(new URLSearchParams(subject.replaceAll(" ", "&"))));
  return words ?? `${action} ${subject}`.trim();
}
