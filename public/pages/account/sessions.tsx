import type { JSX } from "preact";
import { ApiError, call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Session } from "../../api/types.ts";
import { count } from "../../format.ts";
import { Ago, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { ConfirmButton } from "../../parts/dialog.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { announce } from "../../parts/toasts.tsx";

/** The browsers and devices that are signed in. */
export function SessionsTab(): JSX.Element {
  const sessions = useResource<Session[]>("/auth/sessions");
  const ended = (id: number) => sessions.set((all) => all.filter((session) => session.id !== id));
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const end: Column<Session> = {
    key: "end",
    head: "",
    class: "session-end num",
    cell: (session) => !session.current && <EndSession session={session} ended={() => ended(session.id)} />,
  };
  return (
    <>
      <Head
        title="Sessions"
        about={
          <p class="muted small">
            The browsers and devices that are signed in to your account. End any that you do not recognize.
          </p>
        }
      >
        <EndOthers others={others} reload={sessions.reload} />
      </Head>
      <Loaded resource={sessions} what="your sessions" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <div class="card">
            <Table
              label="Sessions"
              class="as-list sessions"
              columns={[...COLUMNS, end]}
              rows={all}
              keyOf={({ id }) => id}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

function EndOthers(props: { others: readonly Session[]; reload: () => Promise<void> }): JSX.Element {
  const { others, reload } = props;
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
    <ConfirmButton
      label="End all others"
      ready={others.length > 0}
      title={`End ${sessions}?`}
      action="End sessions"
      onConfirm={end}
    >
      <p class="muted">Every device but this browser is signed out at once, and has to sign in again.</p>
    </ConfirmButton>
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

const COLUMNS: readonly Column<Session>[] = [
  {
    key: "device",
    head: "Device",
    class: "session-name",
    isName: true,
    cell: ({ client_name, current, scope }) => (
      <>
        <span class="strong">{client_name}</span> {current && <span class="badge good">This browser</span>}
        {scope && <span class="session-scope muted small">Only: {scope}</span>}
      </>
    ),
  },
  {
    key: "address",
    head: "IP address",
    class: "session-address muted",
    cell: ({ address }) => address ?? "unknown address",
  },
  {
    key: "used",
    head: "Last used",
    class: "session-used",
    cell: ({ last_used_at }) => (
      <>
        <span class="phone-only muted">used </span>
        <Ago at={last_used_at} />
      </>
    ),
  },
  {
    key: "since",
    head: "Signed in",
    class: "session-since muted",
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

/** The button that ends a session, after a question. */
export function EndSession({ session, ended }: { session: Session; ended: () => void }): JSX.Element {
  const whose = `the session of ${session.client_name}`;
  const end = async () => {
    await endSession(session.id);
    ended();
    announce(`The session of ${session.client_name} was ended.`);
  };
  return (
    <ConfirmButton
      label={
        <>
          End<span class="visually-hidden"> {whose}</span>
        </>
      }
      class="small"
      title={`End ${whose}?`}
      action="End session"
      onConfirm={end}
    >
      <p class="muted">It is signed out at once, and has to sign in again.</p>
    </ConfirmButton>
  );
}
