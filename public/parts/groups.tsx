import type { JSX } from "preact";
import { GROUPS_HOLD } from "../../src/domain/model/group.ts";
import { useResource } from "../api/resource.ts";
import type { Groups, User } from "../api/types.ts";
import { Ago, Due } from "./basics.tsx";
import { Card } from "./card.tsx";

/** The signed-in user's groups at the identity provider; undefined while they load, and if the server reads none. */
function useGroups(): Groups | undefined {
  const me = useResource<User>("/auth/me").data;
  const groups = useResource<Groups>("/auth/groups", { when: me?.provider === "oidc" }).data;
  return groups?.claim == null ? undefined : groups;
}

/** Says beside a list of people how groups get into it, and how long they hold. */
export function GroupsNote(): JSX.Element | null {
  const groups = useGroups();
  if (groups === undefined) return null;
  return (
    <p class="muted small">
      @group is everybody in a group of the identity provider. Groups hold for {GROUPS_HOLD} from each person's sign-in.
      {groups.unknown !== null && ` At your last sign-in, yours were not told: ${groups.unknown}.`}
    </p>
  );
}

export function GroupsCard(): JSX.Element | null {
  const groups = useGroups();
  if (groups === undefined) return null;
  const { names, told_at: told, hold_until: until, unknown } = groups;
  return (
    <Card title="Groups" foot={`The identity provider tells them when you sign in. They hold for ${GROUPS_HOLD}.`}>
      <div class="card-body">
        {names.length > 0 ? (
          <p>
            {names.flatMap((name) => [
              <span class="badge" key={name}>
                {name}
              </span>,
              " ",
            ])}
          </p>
        ) : (
          <p class="muted">You are in no group that holds now.</p>
        )}
        {told !== null && until !== null && (
          <p class="muted small">
            Told <Ago at={told} />. They end <Due at={until} />.
          </p>
        )}
        {unknown !== null && (
          <p class="small">
            At your last sign-in they were not told: {unknown}. Those that were told before hold on until their{" "}
            {GROUPS_HOLD} end.
          </p>
        )}
      </div>
    </Card>
  );
}
