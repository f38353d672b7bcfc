import { expect, test } from "bun:test";
import type { GroupReports } from "../ports/store/groups.ts";
import { examineGroups } from "./examine-groups.ts";

const NONE: GroupReports = { told: 0, absent: 0, overage: 0, too_many: 0, unreadable: 0 };

test.each<["oidc" | "local", string | null, Partial<GroupReports>, ["ok" | "warning", string][]]>([
  ["oidc", null, { overage: 1 }, []],
  ["local", "groups", {}, [["warning", "oidc-groups-claim does nothing with the provider local"]]],
  ["oidc", "groups", {}, [["ok", "nobody has signed in"]]],
  ["oidc", "groups", { told: 2, absent: 5 }, [["ok", "for 2 people"]]],
  ["oidc", "realm_access.roles", { absent: 5 }, [["warning", "had the claim realm_access.roles, of 5 people"]]],
  [
    "oidc",
    "groups",
    { told: 2, overage: 1 },
    [["warning", "of 1 person: there are too many for the provider to send"]],
  ],
  [
    "oidc",
    "groups",
    { too_many: 3, unreadable: 1 },
    [
      ["warning", "of 3 people: there are more than 1000"],
      ["warning", "something else than a list of names"],
    ],
  ],
])("groups of %s by the claim %p and %p are examined", (provider, oidcGroupsClaim, reports, expected) => {
  const findings = examineGroups({ provider, oidcGroupsClaim }, { ...NONE, ...reports });
  expect(findings.map(({ verdict }) => verdict)).toEqual(expected.map(([verdict]) => verdict));
  for (const [at, [, detail]] of expected.entries()) expect(findings[at]?.detail).toContain(detail);
});
