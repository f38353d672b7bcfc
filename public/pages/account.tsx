import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import type { Limits, Session, User } from "../api/types.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { Ago, Copyable, Loaded, NotLoaded, Page, SkeletonRows } from "../parts/basics.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { forgetAllKept } from "../parts/kept.ts";
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
        <SignOut />
      </div>
      <NotLoaded resource={me} what="your account" />
      <section class="section">
        <div class="section-head">
          <h2>Usage</h2>
          <p class="muted small">Every deployment that is kept counts, not only the live one.</p>
        </div>
        <Loaded resource={limits} what="your usage" skeleton={<SkeletonRows rows={2} />}>
          {({ own }) =>
            own && (
              <ul class="card rows">
                <UsageRow name="Sites" {...own.sites} format={formatNumber} />
                <UsageRow name="Storage" {...own.bytes} format={formatBytes} />
              </ul>
            )
          }
        </Loaded>
      </section>
      <section class="section">
        <div class="section-head">
          <h2>Sessions</h2>
          <p class="muted small">
            The browsers and devices that are signed in to your account. End any that you do not recognize.
          </p>
        </div>
        <Loaded resource={sessions} what="your sessions" skeleton={<SkeletonRows rows={2} />}>
          {(all) => (
            <ul class="card rows">
              {all.map((session) => (
                <SessionRow key={session.id} session={session} ended={() => ended(session.id)} />
              ))}
            </ul>
          )}
        </Loaded>
      </section>
      {me.data?.provider === "local" && (
        <section class="section">
          <div class="section-head">
            <h2>Password</h2>
            <p class="muted small">A new one ends all your other sessions. It has at least 8 characters.</p>
          </div>
          <ChangePassword login={me.data.login} changed={() => void sessions.reload()} />
        </section>
      )}
      <section class="section">
        <div class="section-head">
          <h2>Command line</h2>
          <p class="muted small">
            Signs a terminal in to your account: it shows a code, and you approve it in the browser.
          </p>
        </div>
        <Copyable text={`vitrine login --server ${location.origin}`} label="the command" />
      </section>
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
  // A meter needs a positive maximum, also with a limit of 0.
  const most = limit === null ? null : Math.max(1, limit);
  return (
    <li class="row">
      <div class="grow">
        <h3>
          {name} {isFull && <span class="badge warn">Full</span>}
        </h3>
        <p class="muted small">
          {format(used)} {limit === null ? "used, no limit" : `of ${format(limit)} used`}
        </p>
      </div>
      {most !== null && <meter class="usage" max={most} high={most * 0.9} optimum={0} value={used} aria-label={name} />}
    </li>
  );
}

/** A plain form, like on the server-rendered pages. */
function SignOut(): JSX.Element {
  return (
    <form method="post" action="/sign-out" onSubmit={() => forgetAllKept()}>
      <input type="hidden" name="return_to" value="/" />
      <button type="submit" class="button">
        Sign out
      </button>
    </form>
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
    <li class="row">
      <div class="grow">
        <h3>
          {session.client_name} {session.current && <span class="badge good">This browser</span>}
        </h3>
        <p class="muted small">
          {session.address ?? "unknown address"}
          <span class="faint"> · </span>last used <Ago at={session.last_used_at} />
          <span class="faint"> · </span>signed in <Ago at={session.created_at} />
        </p>
      </div>
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
    </li>
  );
}
