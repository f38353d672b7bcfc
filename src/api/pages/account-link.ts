import { MIN_PASSWORD_LENGTH } from "../../domain/accounts/password-rules.ts";
import type { Passkey } from "../../domain/model/passkey.ts";
import { MAX_USER_NAME_LENGTH } from "../../domain/model/user.ts";
import type { AccountLink } from "../../domain/ports/store/account-links.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

interface LinkForm {
  readonly title: string;
  readonly token: string;
  readonly link: AccountLink;
  readonly passkeys: readonly Passkey[];
  readonly problem: Problem | null;
}

/** The form of an invitation, which creates an account, or of a link that sets a new password. */
export function accountLinkPage({ title, token, link, passkeys, problem }: LinkForm): Markup {
  const { kind, login, name } = link;
  return html`<h1>${title}</h1>
<p>${kind === "invitation" ? invitationWords(link) : html`For the account <strong>${login}</strong>. Your other sessions end.`}</p>
${alarm(problem)}
<form method="post" action="/account/${encodeURIComponent(token)}">
<input type="hidden" name="login" value="${login}" autocomplete="username">
${
  kind === "invitation"
    ? html`<label>Name <input name="name" value="${name ?? ""}" autocomplete="name" pattern=".{0,${MAX_USER_NAME_LENGTH}}" title="At most ${MAX_USER_NAME_LENGTH} characters" placeholder="optional"></label>`
    : null
}
<label>Password <input name="password" type="password" autocomplete="new-password" required minlength="${MIN_PASSWORD_LENGTH}" autofocus></label>
${passkeys.length > 0 ? passkeyChoices(passkeys) : null}
<button>${kind === "invitation" ? "Create account" : "Set password"}</button>
</form>`;
}

function invitationWords({ login, invitedTo }: AccountLink): Markup {
  const what = invitedTo
    ? html`to work on <strong>${invitedTo.siteName}</strong> as ${invitedTo.role}`
    : html`to this server`;
  return html`You are invited ${what}. Your login is <strong>${login}</strong>.`;
}

/** A lost device, or somebody else, may have one of them. */
function passkeyChoices(passkeys: readonly Passkey[]): Markup {
  return html`<fieldset>
<legend>Remove passkeys that you do not recognize or have lost</legend>
<div class="picks">
${passkeys.map(({ id, name, createdAt }) => {
  const added = timestamp(createdAt).slice(0, 10);
  return html`<label class="pick"><input type="checkbox" name="remove_passkey" value="${id}"> <span>${name}, added on <time>${added}</time></span></label>`;
})}
</div>
</fieldset>`;
}
