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
    <LineForm
      label="Login"
      action="Add member"
      kept={keyOf(site, "member")}
      required
      maxLength={300}
      submit={add}
      hint={(login) =>
        login !== "" && login === unknown ? (
          <HowToInvite site={site} login={login} />
        ) : (
          <span class="muted">The login they sign in with. They start as a deployer.</span>
        )
      }
    />
  );
}

/** Only operators create accounts, and only where the server keeps them. */
function HowToInvite({ site, login }: { site: string; login: string }): JSX.Element | null {
  const me = useResource<User>("/auth/me").data;
  const [inviting, setInviting] = useState(false);
  if (me?.provider !== "local") return null;
  if (!me.operator) {
    return <span>Ask the operator of this server to invite them with a link: it can name {site} and a role.</span>;
  }
  return (
    <>
      <button type="button" class="text-button" onClick={() => setInviting(true)}>
        Invite {login} to {site} with a link…
      </button>
      {inviting && <Invite start={{ login, site }} onClose={() => setInviting(false)} />}
    </>
  );
}
