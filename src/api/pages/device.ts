import type { DeviceAuthorization } from "../../domain/accounts/device-authorization.ts";
import type { User } from "../../domain/accounts/user.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

export function codePage(problem: Problem | null): Markup {
  return html`<h1>Connect a device</h1>
${alarm(problem)}
<form method="get" action="/device">
<label>Code shown on your device
<input class="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20" placeholder="XXXX-XXXX" autofocus></label>
<button>Continue</button>
</form>`;
}

/** Shows what RFC 8628 section 5.4 asks for, so that a person notices a code that somebody else sent them. */
export function consentPage(userCode: string, device: DeviceAuthorization, user: User): Markup {
  return html`<h1>Connect this device?</h1>
<p class="code">${userCode}</p>
<dl>
<dt>Application</dt><dd>${device.clientName}</dd>
<dt>IP address</dt><dd>${device.address}</dd>
<dt>Requested</dt><dd><time datetime="${timestamp(device.createdAt)}">${readable(device.createdAt)}</time></dd>
<dt>Account</dt><dd>${user.login}</dd>
</dl>
<p>It gets full access to your account on this server.</p>
<p class="alarm">Approve only if you just started this yourself and your device shows exactly this code.
If somebody sent you the code or the link, deny it.</p>
<form method="post" action="/device" class="buttons">
<input type="hidden" name="user_code" value="${userCode}">
<button name="verdict" value="approved">Approve</button>
<button name="verdict" value="denied" class="quiet">Deny</button>
</form>`;
}

export function verdictPage(verdict: "approved" | "denied", device: DeviceAuthorization): Markup {
  return verdict === "approved"
    ? html`<h1>Device connected</h1><p>${device.clientName} is signed in. You can close this page.</p>`
    : html`<h1>Device denied</h1><p>${device.clientName} was not signed in. You can close this page.</p>`;
}

function readable(at: number): string {
  return timestamp(at)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}
