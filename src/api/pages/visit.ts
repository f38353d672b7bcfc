import type { User } from "../../domain/accounts/user.ts";
import { html, type Markup } from "./html.ts";
import { signOutForm } from "./sign-in.ts";

/** The same for a private site that the person may not read and for one that does not exist. */
export function notAReaderPage(user: User, host: string, returnTo: string): Markup {
  return html`<h1>You cannot open this site</h1>
<p>You are signed in as <strong>${user.login}</strong>, and <strong>${host}</strong> is not open to that account.</p>
<p>Ask the owner of the site to add <strong>${user.login}</strong> as a reader, or switch to an account that is one.</p>
<div class="buttons">${signOutForm("Switch account", returnTo)}</div>`;
}

export function publicPage(host: string, url: string): Markup {
  return html`<h1>This site is open to everybody</h1>
<p>You need not sign in to see <strong>${host}</strong>.</p>
<p><a class="button" href="${url}">Open it</a></p>`;
}
