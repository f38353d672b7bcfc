import { Type as t } from "@sinclair/typebox";
import { GROUPS_HOLD, GROUPS_HOLD_MS, WHY_UNKNOWN } from "../../domain/model/group.ts";
import type { GroupsOfUser } from "../../domain/ports/store/groups.ts";
import { Moment, momentOrNull, namedSchema, orNull } from "./values.ts";

export const GroupsResponse = namedSchema(
  "GroupsResponse",
  {
    claim: orNull(t.String(), {
      description: "The claim that names groups; null if the provider is not asked for them",
    }),
    names: t.Array(t.String(), { description: "Your groups that hold now, without the `@` of their entries" }),
    told_at: orNull(Moment, { description: "The sign-in that told them; null without groups" }),
    hold_until: orNull(Moment, { description: `${GROUPS_HOLD} later` }),
    signed_in_at: orNull(Moment, {
      description: "Your last sign-in at the provider; null if it was not asked for groups",
    }),
    unknown: orNull(t.String(), { description: "Why your last sign-in did not tell your groups; null if it did" }),
  },
  {
    claim: "groups",
    names: ["docs-team"],
    told_at: "2026-11-20T08:05:12.418Z",
    hold_until: "2026-11-20T20:05:12.418Z",
    signed_in_at: "2026-11-20T08:05:12.418Z",
    unknown: null,
  },
);

/** `groups` is null for a user at whose sign-ins the provider was not asked for groups. */
export function groupsResponse(claim: string | null, groups: GroupsOfUser | null): typeof GroupsResponse.static {
  const { names, toldAt, lastSignIn } = groups ?? { names: [], toldAt: null, lastSignIn: null };
  const outcome = lastSignIn?.outcome ?? "absent";
  return {
    claim,
    names: [...names],
    told_at: momentOrNull(toldAt),
    hold_until: momentOrNull(toldAt === null ? null : toldAt + GROUPS_HOLD_MS),
    signed_in_at: momentOrNull(lastSignIn?.at ?? null),
    unknown: outcome === "told" || outcome === "absent" ? null : WHY_UNKNOWN[outcome],
  };
}
