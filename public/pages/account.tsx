import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import type { Limits, Session, User } from "../api/types.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { signOut } from "../parts/account-menu.tsx";
import { Ago, Copyable, Loaded, NotLoaded, Page, SkeletonRows } from "../parts/basics.tsx";
import { Card } from "../parts/card.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Meter } from "../parts/status.tsx";
import { announce } from "../parts/toasts.tsx";
import { ChangePassword } from "./change-password.tsx";

export function AccountPage(): JSX.Element {
  const me = useResource<User>("/auth/me");
  const sessions = useResource<Session[]>("/auth/sessions");
  const limits = useResource<Limits>("/capabilities/limits");
  const ended = (id: number) => sessions.set((all) => all.filter((session) => session.id !== id));
  return (
    <Page title="Account">
      <div class="head">
        <div class="grow">
          <h1 tabIndex={-1}>{me.data?.name ?? me.data?.login ?? "Account"}</h1>
          <p class="muted">{me.data ? `Signed in as ${me.data.login}` : "\u00a0"}</p>
        </div>
        <button type="button" class="button" onClick={signOut}>
          Sign out
        </button>
      </div>
      <NotLoaded resource={me} what="your account" />
      <Loaded resource={sessions} what="your sessions" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <Card
            title="Sessions"
            foot="The browsers and devices that are signed in to your account. End any that you do not recognize."
          >
            <table class="table as-list sessions" aria-label="Sessions">
              <thead>
                <tr>
                  <th scope="col">Device</th>
                  <th scope="col">Address</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Signed in</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {all.map((session) => (
                  <SessionRow key={session.id} session={session} ended={() => ended(session.id)} />
                ))}
              </tbody>
            </table>
          </Card>
        )}
      </Loaded>
      {me.data?.provider === "local" && (
        <Card title="Password" foot="A new one ends all your other sessions. It has at least 8 characters.">
          <ChangePassword login={me.data.login} changed={() => void sessions.reload()} />
        </Card>
      )}
      <Loaded resource={limits} what="your usage" skeleton={<SkeletonRows rows={2} />}>
        {({ own }) =>
          own && (
            <Card title="Usage" foot="Every deployment that is kept counts, not only the live one.">
              <ul class="list usage">
                <UsageRow name="Sites" {...own.sites} format={formatNumber} />
                <UsageRow name="Storage" {...own.bytes} format={formatBytes} />
              </ul>
            </Card>
          )
        }
      </Loaded>
      <Card title="Command line" foot="Signs a terminal in: it shows a code, and you approve it in the browser.">
        <div class="card-body">
          <Copyable text={`vitrine login --server ${location.origin}`} label="the command" />
        </div>
      </Card>
    </Page>
  );
}

function UsageRow(props: {
  name: string;
  used: number;
  limit: number | null;
  format: (value: number) => string;
}): JSX.Element {
  const { name, used, limit, format } = props;
  const isFull = limit !== null && used >= limit;
  // A share needs a positive maximum, also with a limit of 0.
  const most = limit === null ? null : Math.max(1, limit);
  return (
    <li>
      <span class="usage-name strong">{name}</span>
      <span class="usage-meter">
        {most !== null && <Meter share={used / most} tone={isFull ? "warn" : undefined} />}
      </span>
      <span class="muted small grow num">
        {format(used)} {limit === null ? "used, no limit" : `of ${format(limit)} used`}
      </span>
      {isFull && <span class="badge warn">Full</span>}
    </li>
  );
}

function SessionRow({ session, ended }: { session: Session; ended: () => void }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const end = async () => {
    await call("DELETE", `/auth/sessions/${session.id}`);
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
