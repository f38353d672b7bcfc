import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry, HostingCapability, ProtectedResource, Session, Site } from "../../api/types.ts";
import { Ago, Copyable, EmptyFace, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icons.tsx";
import { iconOf } from "../site/activity-words.ts";
import { PublishDialog } from "../site/deployments/publish-dialog.tsx";
import { useAliases, useDeployment } from "../site/deployments/resources.ts";
import { type MadePreview, previewIn } from "./agent-words.ts";
import { EndSession } from "./sessions.tsx";

/** The URL for agents, which of them are connected, and what they did. */
export function AgentsTab(): JSX.Element {
  const offered = useResource<ProtectedResource>("/.well-known/oauth-protected-resource/mcp", { fixed: true });
  const isOff = offered.error?.status === 404;
  return (
    <>
      <Head
        title="Agents"
        about={<p class="muted">Claude, ChatGPT and editors publish previews. You look at them and put them live.</p>}
      />
      {isOff ? (
        <div class="card">
          <EmptyFace icon="info" title="Agents are turned off">
            <p>The operator of this server has turned them off (--mcp off).</p>
          </EmptyFace>
        </div>
      ) : (
        <Loaded resource={offered} what="the URL" skeleton={<SkeletonRows rows={2} />}>
          {({ resource }) => <ServerUrl url={resource} />}
        </Loaded>
      )}
      <Connected />
      <Changes />
    </>
  );
}

// --- internal ---

function ServerUrl({ url }: { url: string }): JSX.Element {
  return (
    <Card
      title="Connect"
      foot="Paste the URL where the program asks for an MCP server or a custom connector, then sign in here and choose the sites. No key is copied."
    >
      <div class="card-body">
        <Copyable text={url} label="the URL for agents" />
      </div>
    </Card>
  );
}

function Connected(): JSX.Element {
  const sessions = useResource<Session[]>("/auth/sessions");
  const ended = (id: number) => sessions.set((all) => all.filter((session) => session.id !== id));
  return (
    <Card title="Connected">
      <Loaded resource={sessions} what="the agents" skeleton={<SkeletonRows rows={2} />}>
        {(all) => {
          const agents = all.filter(({ agent }) => agent);
          if (agents.length === 0) return <p class="card-body muted">No agent is connected.</p>;
          return (
            <ul class="list">
              {agents.map((session) => (
                <li key={session.id}>
                  <div class="grow">
                    <p class="strong">{session.client_name}</p>
                    <p class="small muted agent-scope">Only: {session.scope}</p>
                    <p class="tiny faint">
                      Connected <Ago at={session.created_at} />
                    </p>
                  </div>
                  <EndSession session={session} ended={() => ended(session.id)} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** Of the newest changes of the account, those that agents made. */
const LOOKED_AT = 500;
const MAX_SHOWN = 20;

function Changes(): JSX.Element {
  const changes = useResource<AuditEntry[]>(`/audit?limit=${LOOKED_AT}`);
  const [reviewed, setReviewed] = useState<MadePreview | null>(null);
  return (
    <Card title="What they did">
      <Loaded resource={changes} what="the changes" skeleton={<SkeletonRows rows={3} />}>
        {(all) => {
          const made = all.filter(({ kind }) => kind === "mcp").slice(0, MAX_SHOWN);
          if (made.length === 0) return <p class="card-body muted">No agent has changed anything lately.</p>;
          return (
            <ol class="activity-list">
              {made.map((entry) => (
                <Change key={entry.id} entry={entry} review={setReviewed} />
              ))}
            </ol>
          );
        }}
      </Loaded>
      {reviewed && <Review {...reviewed} onClose={() => setReviewed(null)} />}
    </Card>
  );
}

function Change(props: { entry: AuditEntry; review: (preview: MadePreview) => void }): JSX.Element {
  const { entry, review } = props;
  const preview = previewIn(entry);
  return (
    <li>
      <span class="activity-icon">
        <Icon name={iconOf(entry.action)} />
      </span>
      <div class="grow">
        <p>
          <strong>{entry.site}</strong>: {entry.summary}
        </p>
        <p class="tiny faint">
          <Ago at={entry.at} />
        </p>
      </div>
      {preview && (
        <button type="button" class="button small" onClick={() => review(preview)}>
          <span>
            Promote
            <span class="visually-hidden">{` deployment ${preview.number} of ${preview.site}`}</span>
            <span aria-hidden="true">…</span>
          </span>
        </button>
      )}
    </li>
  );
}

/** Shows the difference to the live site and the report, before a person promotes the preview. */
function Review({ site: name, number, onClose }: MadePreview & { onClose: () => void }): JSX.Element | null {
  const [deployment] = useDeployment(name, number).data ?? [];
  const aliases = useAliases(name).data ?? [];
  const site = useResource<Site[]>("/sites").data?.find((known) => known.name === name);
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true }).data;
  if (!deployment || !site || !hosting) return null;
  const own = aliases.filter((alias) => alias.deployment_number === number);
  const hosts = [new URL(hosting.site_url.replace("{site}", name)).host];
  return (
    <PublishDialog
      deployment={deployment}
      aliases={own}
      live={site.active_deployment}
      hosts={hosts}
      onClose={onClose}
    />
  );
}
