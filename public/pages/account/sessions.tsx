import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Session } from "../../api/types.ts";
import { count } from "../../format.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { TableHead } from "../../parts/table.tsx";
import { announce } from "../../parts/toasts.tsx";

const COLUMNS = [["Device"], ["IP address", "session-address"], ["Last used"], ["Signed in", "session-since"]] as const;

/** The browsers and devices that are signed in. */
export function SessionsTab(): JSX.Element {
  const sessions = useResource<Session[]>("/auth/sessions");
  const ended = (id: number) => sessions.set((all) => all.filter((session) => session.id !== id));
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <>
      <div class="head">
        <div class="grow">
          <h1 tabIndex={-1}>Sessions</h1>
          <p class="muted small">
            The browsers and devices that are signed in to your account. End any that you do not recognize.
          </p>
        </div>
        <EndOthers others={others} reload={sessions.reload} />
      </div>
      <Loaded resource={sessions} what="your sessions" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <div class="card">
            <table class="table as-list sessions" aria-label="Sessions">
              <thead>
                <TableHead columns={COLUMNS} actions="session-end" />
              </thead>
              <tbody>
                {all.map((session) => (
                  <SessionRow key={session.id} session={session} ended={() => ended(session.id)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </>
  );
}

function EndOthers(props: { others: readonly Session[]; reload: () => Promise<void> }): JSX.Element {
  const { others, reload } = props;
  const [asking, setAsking] = useState(false);
  const sessions = count(others.length, "other session");
  const end = async () => {
    try {
      for (const { id } of others) await endSession(id);
    } finally {
      await reload();
    }
    announce(`${sessions} ${others.length === 1 ? "was" : "were"} ended.`);
  };
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={others.length === 0}
        onClick={() => others.length > 0 && setAsking(true)}
      >
        End all others
      </button>
      {asking && (
        <Confirm title={`End ${sessions}?`} action="End sessions" onConfirm={end} onClose={() => setAsking(false)}>
          <p class="muted">Every device but this browser is signed out at once, and has to sign in again.</p>
        </Confirm>
      )}
    </>
  );
}

/** One that has ended meanwhile is as good. */
async function endSession(id: number): Promise<void> {
  try {
    await call("DELETE", `/auth/sessions/${id}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

function SessionRow({ session, ended }: { session: Session; ended: () => void }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const end = async () => {
    await endSession(session.id);
    ended();
    announce(`The session of ${session.client_name} was ended.`);
  };
  return (
    <tr>
      <th scope="row" class="session-name">
        <span class="strong">{session.client_name}</span>{" "}
        {session.current && <span class="badge good">This browser</span>}
        {session.scope && <span class="session-scope muted small">Only: {session.scope}</span>}
      </th>
      <td class="session-address muted">{session.address ?? "unknown address"}</td>
      <td class="session-used">
        <span class="phone-only muted">used </span>
        <Ago at={session.last_used_at} />
      </td>
      <td class="session-since muted">
        <Ago at={session.created_at} />
      </td>
      <td class="session-end num">
        {!session.current && (
          <button type="button" class="button small" onClick={() => setAsking(true)}>
            End<span class="visually-hidden"> the session of {session.client_name}</span>
          </button>
        )}
        {asking && (
          <Confirm
            title={`End the session of ${session.client_name}?`}
            action="End session"
            onConfirm={end}
            onClose={() => setAsking(false)}
          >
            <p class="muted">It is signed out at once, and has to sign in again.</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}
