import {
  type ConsentChoice,
  type ConsentChoices,
  type Extent,
  GRANT_LIFETIMES,
} from "../../domain/accounts/consent.ts";
import { SESSION_IDLE_LIMIT, SESSION_LIFETIME } from "../../domain/accounts/sessions.ts";
import type { DeviceAuthorization } from "../../domain/model/device.ts";
import type { User } from "../../domain/model/user.ts";
import { DAY, timestamp } from "../../domain/timestamp.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

/** If there are more, their names must be typed. */
const MAX_LISTED_SITES = 100;

interface Consent {
  readonly userCode: string;
  readonly device: DeviceAuthorization;
  readonly user: User;
  readonly choices: ConsentChoices;
  /** The previous choice, if it cannot be granted. */
  readonly chosen: ConsentChoice | null;
  readonly problem: Problem | null;
}

/**
 * Shows the details that RFC 8628 section 5.4 requires, so that users notice a code that somebody else sent them, and
 * what the device may do, which they can restrict. Works without scripts.
 */
export function consentPage({ userCode, device, user, choices, chosen, problem }: Consent): Markup {
  const { extents, sites } = choices;
  const canApprove = extents.includes("full") || sites.length > 0;
  return html`<h1>Connect this device?</h1>
<p class="code">${userCode}</p>
${alarm(problem)}
<dl>
<dt>Application</dt><dd>${device.clientName}</dd>
<dt>IP address</dt><dd>${device.address}</dd>
<dt>Requested</dt><dd><time datetime="${timestamp(device.createdAt)}">${readable(device.createdAt)}</time></dd>
<dt>Account</dt><dd>${user.login}</dd>
</dl>
<form method="post" action="/device" class="consent">
<input type="hidden" name="user_code" value="${userCode}">
${canApprove ? extentChoice(extents, chosen) : null}
${sitesMissing(choices)}
${sites.length > 0 ? siteChoice(choices, chosen) : null}
${canApprove ? expiryChoice(chosen) : null}
<p class="alarm">Approve only if you just started this yourself and your device shows exactly this code.
If somebody sent you the code or the link, deny it.</p>
<div class="buttons">
${canApprove ? html`<button name="verdict" value="approved">Approve</button>` : null}
<button name="verdict" value="denied" class="quiet" formnovalidate>Deny</button>
</div>
</form>`;
}

const EXTENTS: Readonly<Record<Extent, { readonly name: string; readonly consequence: string }>> = {
  full: {
    name: "Full access to your account",
    consequence: "Everything that you can do yourself, on all your sites: also deleting them.",
  },
  publish: {
    name: "Publish on the sites below",
    consequence:
      "Upload previews and new versions, list the versions, put any of them live, set and remove aliases, and make a site private.",
  },
  preview: {
    name: "Make previews of the sites below",
    consequence:
      "Upload previews, list the versions, and set and remove aliases. What visitors of the live sites see stays as it is.",
  },
};

function extentChoice(extents: readonly Extent[], chosen: ConsentChoice | null): Markup {
  const picked = chosen?.extent ?? extents[0];
  const only = extents.length === 1;
  const choice = (extent: Extent) => html`<label class="choice">
${only ? null : html`<input type="radio" name="extent" value="${extent}"${extent === picked ? CHECKED : null}>`}
<span><span class="strong">${EXTENTS[extent].name}</span> ${EXTENTS[extent].consequence}</span>
</label>`;
  const mayNot = html`<p class="may-not">It may not delete a site, make it public, change its domains, readers or tokens, nor change your account, of which it sees only your name.</p>`;
  return html`<fieldset>
<legend>What it may do</legend>
${extents.map(choice)}
${extents.some((extent) => extent !== "full") ? mayNot : null}
</fieldset>`;
}

function sitesMissing({ sites, missing, extents }: ConsentChoices): Markup | null {
  if (missing.length > 0) {
    const names = html`<strong>${missing.join(", ")}</strong>`;
    const are = missing.length === 1 ? "is no site" : "are no sites";
    const end = sites.length > 0 ? ", and gets no access there" : ": you can only deny it";
    return html`<p class="alarm">It asks for ${names}, which ${are} of yours${end}.</p>`;
  }
  const needsSite = sites.length === 0 && !extents.includes("full");
  return needsSite
    ? html`<p class="alarm">You have no site yet that it could be given: you can only deny it.</p>`
    : null;
}

function siteChoice({ extents, sites, preselected }: ConsentChoices, chosen: ConsentChoice | null): Markup {
  const names = chosen?.siteNames ?? preselected;
  const choice = sites.length > MAX_LISTED_SITES ? siteField(names) : siteList(sites, names);
  return html`<fieldset class="${extents[0] === "full" ? "narrowed" : ""}">
<legend>On these sites</legend>
${choice}
</fieldset>`;
}

function siteField(names: readonly string[]): Markup {
  return html`<label>Names, separated by spaces <input name="site" value="${names.join(" ")}" autocapitalize="none" spellcheck="false"></label>`;
}

function siteList(sites: ConsentChoices["sites"], names: readonly string[]): Markup {
  const pick = ({ name }: { readonly name: string }) =>
    html`<label class="pick"><input type="checkbox" name="site" value="${name}"${names.includes(name) ? CHECKED : null}>${name}</label>`;
  return html`<div class="picks">${sites.map(pick)}</div>`;
}

function expiryChoice(chosen: ConsentChoice | null): Markup {
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === chosen?.expires ? SELECTED : null}>${label}</option>`;
  return html`<label>Until
<select name="expires">
${option("", `${SESSION_IDLE_LIMIT / DAY} days after its last use, at most ${SESSION_LIFETIME / DAY} days`)}
${GRANT_LIFETIMES.map((lifetime) => option(lifetime, LIFETIMES[lifetime]))}
</select></label>`;
}

const CHECKED = html` checked`;
const SELECTED = html` selected`;

const LIFETIMES: Readonly<Record<(typeof GRANT_LIFETIMES)[number], string>> = {
  "1h": "1 hour from now",
  "1d": "1 day from now",
  "7d": "7 days from now",
  "30d": "30 days from now",
};

function readable(at: number): string {
  return timestamp(at)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}
