import { type Finding, ok, warning } from "../model/finding.ts";
import { GROUPS_HOLD, type UnknownGroups, WHY_UNKNOWN } from "../model/group.ts";
import type { ProviderName } from "../model/user.ts";
import type { GroupReports } from "../ports/store/groups.ts";
import { DAY } from "../timestamp.ts";

/** The age of the sign-ins that are looked at. */
export const REPORTS_OF_MS = 30 * DAY;

/** Tells whether the provider tells groups, from what the last sign-in of each user told. */
export function examineGroups(
  { provider, oidcGroupsClaim: claim }: { readonly provider: ProviderName; readonly oidcGroupsClaim: string | null },
  reports: GroupReports,
): Finding[] {
  if (claim === null) return [];
  if (provider !== "oidc") {
    return [warning("groups", `oidc-groups-claim does nothing with the provider ${provider}`, "remove it")];
  }
  const unknown = (Object.keys(ADVICE) as UnknownGroups[]).filter((outcome) => reports[outcome] > 0);
  if (unknown.length > 0) return unknown.map((outcome) => notTold(outcome, reports[outcome]));
  if (reports.told > 0) return [ok("groups", `the claim ${claim} told them for ${people(reports.told)} in 30 days`)];
  if (reports.absent === 0) return [ok("groups", `read from the claim ${claim}; nobody has signed in for 30 days`)];
  const detail = `no sign-in in 30 days had the claim ${claim}, of ${people(reports.absent)}`;
  const advice = "check its name in oidc-groups-claim, and whether the provider needs a scope for it in oidc-scopes";
  return [warning("groups", detail, advice)];
}

// --- internal ---

const ADVICE: Readonly<Record<UnknownGroups, string>> = {
  overage: "let the provider send only the groups that are assigned to this application",
  too_many: "let the provider send only the groups that are assigned to this application",
  unreadable: "check oidc-groups-claim: it is the path of a text or a list of texts",
};

function notTold(outcome: UnknownGroups, count: number): Finding {
  const detail = `not told at the last sign-in of ${people(count)}: ${WHY_UNKNOWN[outcome]}; those told before hold for ${GROUPS_HOLD}`;
  return warning("groups", detail, ADVICE[outcome]);
}

function people(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}
