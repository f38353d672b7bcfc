import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { newestLast } from "../../../api/newest-last.ts";
import { type Resource, refresh, useResource } from "../../../api/resource.ts";
import type { PreviewPolicy, Reader, Site } from "../../../api/types.ts";
import { ActionButton, useAttempt } from "../../../parts/action-button.tsx";
import { EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { Confirm } from "../../../parts/dialog.tsx";
import { GroupsNote } from "../../../parts/groups.tsx";
import { PUBLIC_SITES_OFF, useAccessPolicy } from "../../../parts/policy.ts";
import { Avatar } from "../../../parts/status.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { AddReader } from "./add-reader.tsx";
import { PreviewPolicySection, policyPath } from "./preview-policy.tsx";

export function AccessTab({ site }: { site: Site }): JSX.Element {
  // Shown instead of the server's state until the change is saved.
  const [protecting, run] = useAttempt();
  const [asking, setAsking] = useState<"public" | "private" | null>(null);
  const policy = useResource<PreviewPolicy>(policyPath(site.name));
  const protect = () => run(() => setPrivate(site.name, true));
  const isPrivate = protecting || site.private;
  const isClosed = useAccessPolicy()?.mayMakePublic === false;
  return (
    <>
      <section class="section">
        <h2 id="visibility">Visibility</h2>
        <div class="choices" role="radiogroup" aria-labelledby="visibility">
          <Visibility
            makes={false}
            isPrivate={isPrivate}
            disabled={site.private && isClosed}
            choose={() => setAsking("public")}
            title="Public"
          >
            {`Everyone with the URL, and search engines.${isClosed ? ` ${PUBLIC_SITES_OFF}` : ""}`}
          </Visibility>
          <Visibility
            makes
            isPrivate={isPrivate}
            choose={isClosed ? () => setAsking("private") : protect}
            title="Private"
          >
            Its members, readers and shares. Also applies to custom domains.
          </Visibility>
        </div>
      </section>
      <Loaded resource={policy} what="the policy for previews" skeleton={<SkeletonRows rows={1} />}>
        {(now) => (
          <>
            <PreviewPolicySection site={site} policy={policy} now={now} />
            {site.private && <Readers site={site.name} />}
          </>
        )}
      </Loaded>
      {asking === "private" && (
        <Confirm
          title={`Make ${site.name} private?`}
          action="Make private"
          onConfirm={() => setPrivate(site.name, true, false)}
          onClose={() => setAsking(null)}
        >
          <p class="muted">{PUBLIC_SITES_OFF} You cannot make the site public again.</p>
        </Confirm>
      )}
      {asking === "public" && (
        <Confirm
          title={`Make ${site.name} public?`}
          action="Make public"
          onConfirm={() => setPrivate(site.name, false)}
          onClose={() => setAsking(null)}
        >
          <p class="muted">
            Anyone can then open the site and its earlier deployments. Search engines can list it. Its list of readers
            is kept.
          </p>
        </Confirm>
      )}
    </>
  );
}

function Visibility(props: {
  makes: boolean;
  isPrivate: boolean;
  disabled?: boolean;
  choose: () => void;
  title: string;
  children: string;
}): JSX.Element {
  const { makes, isPrivate } = props;
  return (
    <label class="choice">
      <input
        type="radio"
        name="visibility"
        checked={isPrivate === makes}
        disabled={props.disabled === true}
        onChange={props.choose}
      />
      <span>
        <span class="strong">{props.title}</span> <span class="muted">{props.children}</span>
      </span>
    </label>
  );
}

/** One queue per site, so that an undo from a toast is sent after changes on the page. */
const senders = new Map<string, (makePrivate: boolean) => Promise<boolean>>();

async function setPrivate(site: string, makePrivate: boolean, canUndo = true): Promise<void> {
  const send = senders.get(site) ?? newestLast((wanted) => call(wanted ? "PUT" : "DELETE", `/sites/${site}/access`));
  senders.set(site, send);
  if (!(await send(makePrivate))) return;
  await refresh("/sites");
  const text = makePrivate ? `${site} is now private.` : `${site} is now public.`;
  announce(text, canUndo ? () => setPrivate(site, !makePrivate) : null);
}

function Readers({ site }: { site: string }): JSX.Element {
  const path = `/sites/${site}/access/readers`;
  const readers = useResource<Reader[]>(path);
  return (
    <section class="section">
      <div class="section-head">
        <h2>Readers</h2>
        <p class="muted small">People who can open this site after signing in with their own account.</p>
        <GroupsNote />
      </div>
      <AddReader site={site} added={(reader) => readers.set((all) => withReader(all, reader))} />
      <Loaded resource={readers} what="the readers" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <ul class="card list">
            {all.map((reader) => (
              <ReaderRow key={reader.id} site={site} reader={reader} change={readers.set} />
            ))}
            {all.length === 0 && (
              <li>
                <EmptyFace icon="user" title="No readers yet">
                  <p>Only its members can open this site.</p>
                </EmptyFace>
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function withReader(all: Reader[], reader: Reader): Reader[] {
  return [...all.filter(({ id }) => id !== reader.id), reader];
}

interface RowProps {
  readonly site: string;
  readonly reader: Reader;
  readonly change: Resource<Reader[]>["set"];
}

function ReaderRow({ site, reader, change }: RowProps): JSX.Element {
  const path = `/sites/${site}/access/readers`;
  const { provider_login: login, provider_name: name } = reader;
  const remove = async () => {
    await call("DELETE", `${path}/${reader.id}`);
    change((all) => all.filter(({ id }) => id !== reader.id));
    announce(`${login} can no longer open ${site}.`, async () => {
      const again = await call<Reader>("POST", path, { provider_login: login });
      change((all) => withReader(all, again));
    });
  };
  return (
    <li>
      <Avatar name={name ?? login} />
      <div class="grow">
        <h3 class="strong cut">{name ?? login}</h3>
        {name !== null && <p class="tiny muted cut">{login}</p>}
      </div>
      <ActionButton class="small" run={remove}>
        Remove<span class="visually-hidden"> {login}</span>
      </ActionButton>
    </li>
  );
}
