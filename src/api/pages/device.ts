import type { ConsentChoice, ConsentChoices } from "../../domain/accounts/consent.ts";
import type { DeviceAuthorization } from "../../domain/model/device.ts";
import type { SessionLimit } from "../../domain/model/scope.ts";
import type { User } from "../../domain/model/user.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { consentPage } from "./consent.ts";
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

interface DeviceConsent {
  readonly userCode: string;
  readonly device: DeviceAuthorization;
  readonly user: User;
  readonly choices: ConsentChoices;
  readonly chosen: ConsentChoice | null;
  readonly problem: Problem | null;
}

export function deviceConsent({ userCode, device, user, choices, chosen, problem }: DeviceConsent): Markup {
  const { clientName, address, createdAt } = device;
  return consentPage({
    title: "Connect this device?",
    code: userCode,
    facts: [
      ["Application", clientName],
      ["IP address", address],
      ["Requested", html`<time datetime="${timestamp(createdAt)}">${readable(createdAt)}</time>`],
      ["Account", user.login],
    ],
    who: "device",
    form: { action: "/device", hidden: { user_code: userCode } },
    warning: html`Approve only if you just started this yourself and your device shows exactly this code.
If somebody sent you the code or the link, deny it.`,
    choices,
    chosen,
    problem,
  });
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

function readable(at: number): string {
  return timestamp(at)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}
