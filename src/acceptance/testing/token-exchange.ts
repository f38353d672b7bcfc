/** Returns the fields of a request that exchanges an ID token for a token of the site (RFC 8693). */
export function exchangeOf(site: string, idToken: string): Record<string, string> {
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: idToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    scope: `site:${site}`,
  };
}
