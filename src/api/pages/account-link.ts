import { MIN_PASSWORD_LENGTH } from "../../domain/accounts/password-rules.ts";
import { MAX_USER_NAME_LENGTH } from "../../domain/model/user.ts";
import type { AccountLink } from "../../domain/ports/store/account-links.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

/** The form of an invitation, which creates an account, or of a link that sets a new password. */
export function accountLinkPage(
  title: string,
  token: string,
  { kind, login, name }: AccountLink,
  problem: Problem | null,
): Markup {
  return html`<h1>${title}</h1>
<p>${
    kind === "invitation"
      ? html`You are invited to this server. Your login is <strong>${login}</strong>.`
      : html`For the account <strong>${login}</strong>. Your other sessions end.`
  }</p>
${alarm(problem)}
<form method="post" action="/account/${encodeURIComponent(token)}">
<input type="hidden" name="login" value="${login}" autocomplete="username">
${
  kind === "invitation"
    ? html`<label>Name <input name="name" value="${name ?? ""}" autocomplete="name" pattern=".{0,${MAX_USER_NAME_LENGTH}}" title="At most ${MAX_USER_NAME_LENGTH} characters" placeholder="optional"></label>`
    : null
}
<label>Password <input name="password" type="password" autocomplete="new-password" required minlength="${MIN_PASSWORD_LENGTH}" autofocus></label>
<button>${kind === "invitation" ? "Create account" : "Set password"}</button>
</form>`;
}
