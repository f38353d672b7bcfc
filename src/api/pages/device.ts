import type { DeviceAuthorization } from "../../domain/accounts/device-authorization.ts";
import type { User } from "../../domain/accounts/user.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

export function codePage(problem: Problem | null): Markup {
  return html`<h1>Connect a device</h1>
${alarm(problem)}
<form method="get" action="/device">
<label>The code that your device shows
<input class="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20" placeholder="XXXX-XXXX" autofocus></label>
<button>Next</button>
</form>`;
}

/** RFC 8628 section 5.4: who got the code from somebody else must be able to notice it here. */
export function consentPage(userCode: string, device: DeviceAuthorization, user: User): Markup {
  return html`<h1>Connect this device?</h1>
<p class="code">${userCode}</p>
<dl>
<dt>Program</dt><dd>${device.clientName}</dd>
<dt>Address</dt><dd>${device.address}</dd>
<dt>Asked</dt><dd><time datetime="${timestamp(device.createdAt)}">${readable(device.createdAt)}</time></dd>
<dt>Account</dt><dd>${user.login}</dd>
</dl>
<p>It will be able to do everything that you can do here.</p>
<p class="alarm">Approve only if you started this yourself just now and your device shows this very code.
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
    : html`<h1>Device denied</h1><p>${device.clientName} was not let in. You can close this page.</p>`;
}

function readable(at: number): string {
  return timestamp(at)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}
