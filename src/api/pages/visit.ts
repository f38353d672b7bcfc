import { GROUPS_HOLD } from "../../domain/model/group.ts";
import type { User } from "../../domain/model/user.ts";
import { html, type Markup } from "./html.ts";
import { signOutForm } from "./sign-in.ts";

/** The same page for a private site that the user may not read and for a site that does not exist. */
export function notAReaderPage(
  user: User,
  host: string,
  { returnTo, hasGroups }: { readonly returnTo: string; readonly hasGroups: boolean },
): Markup {
  const again = html`<p>If you read it as one of a group, sign in again: groups hold for ${GROUPS_HOLD}.</p>
<p><a class="button" href="/sign-in/provider?return_to=${encodeURIComponent(returnTo)}">Sign in again</a></p>`;
  return html`<h1>You do not have access</h1>
<p>You are signed in as <strong>${user.login}</strong>, who is not a reader of <strong>${host}</strong>.</p>
<p>Ask the owner of the site to add <strong>${user.login}</strong> as a reader, or switch to another account.</p>
${hasGroups ? again : null}
<div class="buttons">${signOutForm("Switch account", returnTo)}</div>`;
}

export function publicPage(host: string, url: string): Markup {
  return html`<h1>This site is public</h1>
<p>You do not have to sign in to open <strong>${host}</strong>.</p>
<p><a class="button" href="${url}">Open the site</a></p>`;
}
