import type { DeviceAuthorization } from "../../domain/model/device.ts";
import type { SessionLimit } from "../../domain/model/scope.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

export function codePage(problem: Problem | null): Markup {
  return html`<h1>Connect a device</h1>
${alarm(problem)}
<form method="get" action="/device">
<label>Code shown on your device
<input class="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20" placeholder="XXXX-XXXX" autofocus></label>
<button>Continue</button>
</form>
<p>No code yet? <a href="/dashboard/account/command-line">Command line</a> shows how to get one.</p>`;
}

export function approvedPage({ clientName }: DeviceAuthorization, limit: SessionLimit | null): Markup {
  return html`<h1>Device connected</h1><p>${clientName} is signed in${limit && whatFor(limit)}. You can close this page.</p>
<p>You can end its session in <a href="/dashboard/account">your account</a>.</p>`;
}

export function deniedPage({ clientName }: DeviceAuthorization): Markup {
  return html`<h1>Device denied</h1><p>${clientName} was not signed in. You can close this page.</p>`;
}

function whatFor({ permission, sites }: SessionLimit): Markup {
  const names = sites.map(({ name }) => name).join(", ");
  return html` to ${permission === "publish" ? "publish on" : "make previews of"} <strong>${names}</strong>`;
}
