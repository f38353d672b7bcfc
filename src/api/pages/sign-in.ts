import { MIN_PASSWORD_LENGTH } from "../../domain/accounts/password-rules.ts";
import type { WaitingAttempt } from "../../domain/accounts/provider-sign-in.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import { MAX_USER_NAME_LENGTH, type User } from "../../domain/model/user.ts";
import type { IdentityProvider } from "../../domain/ports/identity.ts";
import { sentence } from "../../domain/sentence.ts";
import { html, type Markup } from "./html.ts";

/** The reason why the last attempt failed, for the page. */
export interface Problem {
  readonly detail: string;
}

interface SignIn {
  readonly provider: IdentityProvider;
  readonly returnTo: string;
  /** The purpose of the sign-in; null for the dashboard. */
  readonly purpose: Purpose | null;
  readonly problem: Problem | null;
  /** False while there is no account to sign in to. */
  readonly hasAccounts: boolean;
  /** The login of the last attempt; empty for none. */
  readonly login?: string;
  readonly passkeys: PasskeysHere;
}

/** Whether passkeys can be used on the page; otherwise why not, and the URL of the server where they can. */
export interface PasskeysHere {
  readonly problem: string | null;
  readonly elsewhere: string | null;
}

export type Purpose =
  | { readonly kind: "site"; readonly host: string }
  | { readonly kind: "device" }
  | { readonly kind: "agent" };

export function signInPage(form: SignIn): Markup {
  const { provider, returnTo, purpose, problem, hasAccounts, login = "", passkeys } = form;
  const way =
    provider.method === "password"
      ? html`${passwordForm(returnTo, login)}
${passkeyWay(passkeys, returnTo)}
<p class="note">No account? The operator of this server sends invitations.</p>`
      : html`<p><a class="button" href="/sign-in/provider?return_to=${encodeURIComponent(returnTo)}">Continue with ${provider.label}</a></p>`;
  return html`<h1>Sign in</h1>
${purpose && html`<p>${purposeSentence(purpose)}</p>`}
${alarm(problem)}
${hasAccounts ? null : NO_ACCOUNTS}
${way}`;
}

const NO_ACCOUNTS = html`<p class="alarm">This server has no accounts yet. Create the first one with the set-up link that the server printed at its start, or with <code>vitrine users add LOGIN</code>.</p>`;

function purposeSentence(purpose: Purpose): Markup {
  if (purpose.kind === "device") return html`Sign in to connect your device.`;
  if (purpose.kind === "agent") return html`Sign in to connect your agent.`;
  return html`Sign in to open <strong>${purpose.host}</strong>.`;
}

/** For a user whose account is frozen. `contact` is the operator's link; null if none is set. */
export function frozenPage({ reason }: Freeze, contact: string | null, returnTo: string): Markup {
  const operator = contact === null ? "the operator of this server" : html`<a href="${contact}">the operator</a>`;
  return html`<h1>Your account is frozen</h1>
${reason && html`<p class="alarm">${reason}</p>`}
<p class="note">You cannot sign in or deploy, and your sites are offline. Nothing is deleted. Ask ${operator} to unfreeze it.</p>
<div class="buttons">
${signOutForm("Use another account", returnTo)}
</div>`;
}

export function signedInPage(user: User, returnTo: string): Markup {
  return html`<h1>Signed in</h1>
<p>You are signed in as <strong>${user.login}</strong>.</p>
<div class="buttons">
<a class="button" href="${returnTo}">Continue</a>
${signOutForm("Use another account", returnTo)}
</div>`;
}

export function signOutForm(label: string, returnTo: string): Markup {
  return html`<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="${returnTo}"><button class="quiet">${label}</button></form>`;
}

export function waitingPage(waiting: WaitingAttempt, label: string): Markup {
  return html`<h1>Sign in with ${label}</h1>
<p>Open <a href="${waiting.verificationUri}" target="_blank" rel="noopener">${waiting.verificationUri}</a> and enter this code:</p>
<p class="code">${waiting.userCode}</p>
<p class="note">This page continues by itself once you are done.</p>`;
}

export function setupPage(code: string, problem: Problem | null, { login = "", name = "" } = {}): Markup {
  return html`<h1>Set up this server</h1>
<p>You become its operator. The link works once.</p>
${alarm(problem)}
<form method="post" action="/setup/${encodeURIComponent(code)}">
<label>Login <input name="login" value="${login}" autocomplete="username" autocapitalize="none" required maxlength="64" autofocus></label>
<label>Name <input name="name" value="${name}" autocomplete="name" pattern=".{0,${MAX_USER_NAME_LENGTH}}" title="At most ${MAX_USER_NAME_LENGTH} characters" placeholder="optional"></label>
<label>Password <input name="password" type="password" autocomplete="new-password" required minlength="${MIN_PASSWORD_LENGTH}"></label>
<button>Create account</button>
</form>`;
}

export function problemPage(title: string, problem: Problem): Markup {
  return html`<h1>${title}</h1>
${alarm(problem)}
<p><a href="/sign-in">Sign in</a></p>`;
}

export function alarm(problem: Problem | null): Markup | null {
  return problem && html`<p class="alarm" role="alert">${sentence(problem.detail)}</p>`;
}

/** After a wrong password only that is typed again. */
function passwordForm(returnTo: string, login: string): Markup {
  const focus = html` autofocus`;
  return html`<form method="post" action="/sign-in">
<input type="hidden" name="return_to" value="${returnTo}">
<label>Login <input name="login" value="${login}" autocomplete="username webauthn" autocapitalize="none" required maxlength="64"${login === "" ? focus : null}></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required${login === "" ? null : focus}></label>
<button>Sign in</button>
</form>`;
}

/** The script shows the button in browsers that have passkeys. */
function passkeyWay({ problem, elsewhere }: PasskeysHere, returnTo: string): Markup {
  if (elsewhere !== null) {
    const url = `${elsewhere}/sign-in?return_to=${encodeURIComponent(returnTo)}`;
    return html`<p class="note">To use a passkey, sign in at <a href="${url}">${elsewhere}</a>.</p>`;
  }
  if (problem !== null) return html`<p class="note">${sentence(problem)}</p>`;
  return html`<div class="passkey" data-return-to="${returnTo}" hidden>
<button type="button" class="quiet">Sign in with a passkey</button>
<p class="alarm" role="alert" hidden></p>
</div>`;
}
