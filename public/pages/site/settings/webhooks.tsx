import type { JSX } from "preact";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { Site, Webhook, WebhookWithSecret } from "../../../api/types.ts";
import { Copyable, EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { Checks } from "../../../parts/field.tsx";
import { useKept } from "../../../parts/kept.ts";
import { LineForm } from "../../../parts/line-form.tsx";
import { keyOf, secretsOf } from "../../../parts/of-site.ts";
import { useOneTime } from "../../../parts/one-time.ts";
import { SecretCard } from "./secret-card.tsx";
import { EVENTS, wanted } from "./webhook-events.ts";
import { WebhookRow } from "./webhook-row.tsx";

export function WebhooksTab({ site }: { site: Site }): JSX.Element {
  const path = `/sites/${site.name}/webhooks`;
  const webhooks = useResource<Webhook[]>(path);
  const fresh = useOneTime<WebhookWithSecret>(secretsOf(site, "webhook"), webhooks);
  const onUpdate = (webhook: Webhook) =>
    webhooks.set((all) => all.map((known) => (known.id === webhook.id ? webhook : known)));
  const removed = (id: string) => {
    fresh.dismiss(id);
    webhooks.set((all) => all.filter((webhook) => webhook.id !== id));
  };
  return (
    <section class="section">
      <div class="section-head">
        <h2>Webhooks</h2>
        <p class="muted small">Sends a signed HTTP request to your URL whenever something happens to {site.name}.</p>
      </div>
      <AddWebhook site={site.name} path={path} added={fresh.add} />
      {fresh.all.map((webhook) => (
        <Secret key={webhook.id} webhook={webhook} dismiss={() => fresh.dismiss(webhook.id)} />
      ))}
      <Loaded resource={webhooks} what="the webhooks" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <ul class="card rows">
            {all.map((webhook) => (
              <WebhookRow
                key={webhook.id}
                path={`${path}/${webhook.id}`}
                webhook={webhook}
                changed={webhooks.reload}
                onUpdate={onUpdate}
                rotated={fresh.add}
                removed={() => removed(webhook.id)}
              />
            ))}
            {all.length === 0 && (
              <li>
                <EmptyFace icon="bell" title="No webhooks yet">
                  <p>Add the URL of a chat, a monitor or a script of yours to notify it.</p>
                </EmptyFace>
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

const ALL = EVENTS.map(([type]) => type);

function AddWebhook(props: { site: string; path: string; added: (webhook: WebhookWithSecret) => void }): JSX.Element {
  const [chosen, setChosen] = useKept<readonly string[]>(keyOf(props.site, "webhook.events"), ALL);
  const add = async (url: string) => {
    if (chosen.length === 0) throw new Error("Choose at least one event.");
    props.added(await call<WebhookWithSecret>("POST", props.path, { url, events: wanted(chosen) }));
    // A choice made meanwhile stays. After a reload, equal lists are different objects.
    setChosen((now) => (now.join() === chosen.join() ? ALL : now));
  };
  return (
    <LineForm
      label="Endpoint URL"
      action="Add webhook"
      kept={keyOf(props.site, "webhook")}
      placeholder="https://hooks.example.org/vitrine"
      required
      maxLength={2000}
      submit={add}
    >
      <Checks legend="Events" options={EVENTS} chosen={chosen} choose={setChosen} />
    </LineForm>
  );
}

function Secret({ webhook, dismiss }: { webhook: WebhookWithSecret; dismiss: () => void }): JSX.Element {
  return (
    <SecretCard name={`secret of ${webhook.url}`} dismiss={dismiss}>
      <h3>Signing secret of {webhook.url}</h3>
      <p>Copy the secret now. It will not be shown again.</p>
      <Copyable text={webhook.secret} label="the secret" />
      <p class="muted small">
        The receiver verifies signatures with it, using any Standard Webhooks library.
        {webhook.previous_secret_until !== null && " The previous secret stays valid for 24 hours."}
      </p>
    </SecretCard>
  );
}
