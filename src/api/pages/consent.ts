import {
  type ConsentChoice,
  type ConsentChoices,
  type Extent,
  GRANT_LIFETIMES,
} from "../../domain/accounts/consent.ts";
import { SESSION_IDLE_LIMIT, SESSION_LIFETIME } from "../../domain/accounts/sessions.ts";
import { DAY } from "../../domain/timestamp.ts";
import { html, type Markup } from "./html.ts";
import { alarm, type Problem } from "./sign-in.ts";

/** If there are more, their names must be typed. */
const MAX_LISTED_SITES = 100;

interface Consent {
  readonly title: string;
  /** The code that the device shows; null for an agent. */
  readonly code: string | null;
  /** Who asks, as pairs of a name and a text. */
  readonly facts: readonly (readonly [string, string | Markup])[];
  readonly who: "device" | "agent";
  readonly form: { readonly action: string; readonly hidden: Readonly<Record<string, string>> };
  readonly warning: Markup;
  readonly choices: ConsentChoices;
  /** The previous choice, if it cannot be granted. */
  readonly chosen: ConsentChoice | null;
  readonly problem: Problem | null;
}

/**
 * Shows who asks for access, so that users notice a request that somebody else started (RFC 8628 section 5.4), and what
 * it may do, which they can restrict. Works without scripts.
 */
export function consentPage({ title, code, facts, who, form, warning, choices, chosen, problem }: Consent): Markup {
  const { extents, sites, newSites } = choices;
  const canApprove = extents.includes("full") || sites.length > 0 || newSites !== null;
  const hidden = Object.entries(form.hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<h1>${title}</h1>
${code === null ? null : html`<p class="code">${code}</p>`}
${alarm(problem)}
<dl>
${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
</dl>
<form method="post" action="${form.action}" class="consent">
${hidden}
${canApprove ? extentChoice(who, extents, chosen) : null}
${sitesMissing(choices)}
${sites.length > 0 ? siteChoice(choices, chosen) : null}
${newSites === null ? null : newSitesChoice(newSites, chosen)}
${canApprove ? expiryChoice(chosen) : null}
<p class="alarm">${warning}</p>
<div class="buttons">
${canApprove ? html`<button name="verdict" value="approved">Approve</button>` : null}
<button name="verdict" value="denied" class="quiet" formnovalidate>Deny</button>
</div>
</form>`;
}

/** Reads the choice of a submitted form. */
export function choiceIn(form: URLSearchParams): ConsentChoice {
  const siteNames = form.getAll("site").flatMap((names) => names.split(/[\s,]+/).filter((name) => name !== ""));
  return { extent: form.get("extent"), siteNames, expires: form.get("expires"), newSites: form.has("new_sites") };
}

type Consequences = Readonly<Record<Extent, string>>;

const NAMES: Consequences = {
  full: "Full access to your account",
  publish: "Publish on the sites below",
  preview: "Make previews of the sites below",
};

const DEVICE: Consequences = {
  full: "Everything that you can do yourself, on all your sites: also deleting them.",
  publish:
    "Upload previews and new versions, list the versions, put any of them live, set and remove aliases, and make a site private.",
  preview:
    "Upload previews, list the versions, and set and remove aliases. What visitors of the live sites see stays as it is.",
};

const AGENT: Consequences = {
  full: "",
  publish: "Make previews, read reports, and put any version live.",
  preview:
    "Upload previews, list the versions, read their reports, and share its own previews by link. What visitors of the live sites see stays as it is.",
};

function extentChoice(who: Consent["who"], extents: readonly Extent[], chosen: ConsentChoice | null): Markup {
  const consequences = who === "agent" ? AGENT : DEVICE;
  const picked = chosen?.extent ?? extents[0];
  const only = extents.length === 1;
  const choice = (extent: Extent) => html`<label class="choice">
${only ? null : html`<input type="radio" name="extent" value="${extent}"${extent === picked ? CHECKED : null}>`}
<span><span class="strong">${NAMES[extent]}</span> ${consequences[extent]}</span>
</label>`;
  const mayNot = html`<p class="may-not">It may not delete a site, make it public, change its domains, readers or tokens, nor change your account, of which it sees only your name.</p>`;
  return html`<fieldset>
<legend>What it may do</legend>
${extents.map(choice)}
${extents.some((extent) => extent !== "full") ? mayNot : null}
</fieldset>`;
}

function sitesMissing({ sites, missing, extents, newSites }: ConsentChoices): Markup | null {
  if (missing.length > 0) {
    const names = html`<strong>${missing.join(", ")}</strong>`;
    const are = missing.length === 1 ? "is no site" : "are no sites";
    const end = sites.length > 0 ? ", and gets no access there" : ": you can only deny it";
    return html`<p class="alarm">It asks for ${names}, which ${are} of yours${end}.</p>`;
  }
  const needsSite = sites.length === 0 && newSites === null && !extents.includes("full");
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

function newSitesChoice(newSites: NonNullable<ConsentChoices["newSites"]>, chosen: ConsentChoice | null): Markup {
  const isChecked = chosen ? chosen.newSites === true : newSites === "preselected";
  return html`<fieldset>
<legend>New sites</legend>
<label class="choice"><input type="checkbox" name="new_sites" value="yes"${isChecked ? CHECKED : null}>
<span><span class="strong">Make new sites</span> Each is live at once, and ends after 7 days unless you keep it.</span></label>
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
