import { parseScope } from "../../domain/model/scope.ts";

/** What a person at a terminal is told, and what to do next. */
interface Told {
  readonly message: string;
  readonly advice?: string;
}

/**
 * Returns what to tell about the `detail` of an error whose words are those of the API: headers, scopes, and the fixed
 * beginnings by which programs tell errors apart. Null for a detail that can be shown as it is.
 */
export function inPlainWords(detail: string): Told | null {
  for (const [pattern, tell] of RULES) {
    const found = pattern.exec(detail);
    if (found) return tell(found[1] ?? "");
  }
  return null;
}

// --- internal ---

/** The first that fits a detail counts. `tell` gets the first group of the pattern. */
type Rule = readonly [pattern: RegExp, tell: (found: string) => Told];

const LOGIN = "For more: vitrine login";

const RULES: readonly Rule[] = [
  [/^account is frozen(.*): ask the operator$/, (why) => ({ message: `your account is frozen${why}`, advice: ASK })],
  [/the scope (?:of this token is )?"([^"]+)"/, (scope) => ({ message: limitOf(scope), advice: LOGIN })],
  [
    /a token with the permission preview/,
    () => ({
      message: "this deployment token may only make previews",
      advice: `Make one with --preview. ${LOGIN}`,
    }),
  ],
  [
    /(?:send X-Service-Site: |this deployment token belongs to )(\S+)/,
    (site) => ({ message: `this deployment token is for ${site}`, advice: `Deploy there: --site ${site}` }),
  ],
  [
    /a deployment token cannot do this$/,
    () => ({
      message: "a deployment token cannot do this",
      advice: "Sign in: vitrine login. Then leave out --token and VITRINE_TOKEN.",
    }),
  ],
  [
    /^[^:]+: (\S+ belongs to someone else)$/,
    (problem) => ({ message: problem, advice: "Check the name, or sign in as its owner: vitrine login" }),
  ],
  [
    /^the deployment is active$/,
    () => ({
      message: "this deployment is live, so it cannot be deleted",
      advice: "Deploy a version without the problem, or go back first: vitrine rollback SITE",
    }),
  ],
  [
    /^(aliases point to this deployment: .+)$/,
    (problem) => ({
      message: problem,
      advice: "Remove them, or set them to another one, first: vitrine aliases --help",
    }),
  ],
  [
    /^site has expired: (\S+) /,
    (site) => ({
      message: `${site} has expired, and is removed soon`,
      advice: `Bring it back with more time: vitrine sites expiry ${site} 30d`,
    }),
  ],
  [
    /^(\S+) is private: make it public first, or leave X-Service-Access out$/,
    (site) => ({
      message: `${site} is private, and a deployment does not make it public`,
      advice: `Leave out --public, or make it public first: vitrine access public ${site}`,
    }),
  ],
  [/^credential cannot deploy this site: (.+)$/s, (message) => ({ message })],
  [
    /^the provider user does not exist: (there is no account .*)$/s,
    (problem) => ({
      message: problem,
      advice: "Invite it first: the operator does so in the console, or with vitrine users add LOGIN",
    }),
  ],
  [/^the provider user does not exist: (.+)$/s, (message) => ({ message })],
];

const ASK = "Ask the operator of the server.";

function limitOf(text: string): string {
  const { permission, siteNames } = parseScope(text) ?? { permission: "publish", siteNames: [] };
  const sites = siteNames.join(" and ");
  return `this sign-in may only ${permission === "preview" ? `make previews of ${sites}` : `publish ${sites}`}`;
}
