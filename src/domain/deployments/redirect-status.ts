const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const REWRITES: readonly number[] = [200, 404, 410, 451];

/** Whether a rule with this status answers with a redirect; the others answer with a file of the deployment. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/** Whether a rule may have this status. */
export function isRuleStatus(status: number): boolean {
  return REDIRECTS.includes(status) || REWRITES.includes(status);
}
