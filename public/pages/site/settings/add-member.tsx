import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { User } from "../../../api/types.ts";
import { LineForm } from "../../../parts/line-form.tsx";
import { keyOf } from "../../../parts/of-site.ts";
import { announce } from "../../../parts/toasts.tsx";
import { Invite } from "../../console/invite.tsx";
import { type Members, setMember } from "./member-requests.ts";

/** A new member can do the least, and gets another role in the list. */
export function AddMember({ site, members }: { site: string; members: Members }): JSX.Element {
  /** The login that the server does not know. */
  const [unknown, setUnknown] = useState<string | null>(null);
  const [invited, setInvited] = useState<string | null>(null);
  const add = async (login: string) => {
    setUnknown(null);
    try {
      const member = await setMember(site, login, "deployer", members);
      announce(`${member.login} is now a ${member.role} of ${site}.`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) setUnknown(login);
      throw error;
    }
  };
  return (
    <>
      <LineForm
        label="Login"
        action="Add member"
        kept={keyOf(site, "member")}
        required
        maxLength={300}
        submit={add}
        hint={(login) =>
          login !== "" && login === unknown ? (
            <HowToInvite site={site} login={login} invite={() => setInvited(login)} />
          ) : (
            <span class="muted">The login they sign in with. They start as a deployer.</span>
          )
        }
      />
      {/* Outside the form, which would otherwise be submitted with that of the dialog. */}
      {invited !== null && <Invite start={{ login: invited, site }} onClose={() => setInvited(null)} />}
    </>
  );
}

interface HowProps {
  readonly site: string;
  readonly login: string;
  readonly invite: () => void;
}

/** Only operators create accounts, and only where the server keeps them. */
function HowToInvite({ site, login, invite }: HowProps): JSX.Element | null {
  const me = useResource<User>("/auth/me").data;
  if (me?.provider !== "local") return null;
  if (!me.operator) {
    return <span>Ask the operator of this server to invite them with a link: it can name {site} and a role.</span>;
  }
  return (
    <button type="button" class="text-button" onClick={invite}>
      Invite {login} to {site} with a link…
    </button>
  );
}
