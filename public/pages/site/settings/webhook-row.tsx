import type { JSX } from "preact";
import { call } from "../../../api/client.ts";
import type { Webhook, WebhookWithSecret } from "../../../api/types.ts";
import { formatUrl } from "../../../format.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { Ago } from "../../../parts/basics.tsx";
import { ConfirmButton } from "../../../parts/dialog.tsx";
import { announce, attempt } from "../../../parts/toasts.tsx";
import { Deliveries, trial } from "./webhook-deliveries.tsx";
import { summaryOf } from "./webhook-events.ts";

interface RowProps {
  /** API path of this webhook. */
  readonly path: string;
  readonly webhook: Webhook;
  readonly changed: () => Promise<void>;
  readonly onUpdate: (webhook: Webhook) => void;
  readonly rotated: (webhook: WebhookWithSecret) => void;
  readonly removed: () => void;
}

export function WebhookRow(props: RowProps): JSX.Element {
  const { path, webhook, changed } = props;
  return (
    <li class="webhook">
      <div>
        <h3>
          {webhook.url} <State webhook={webhook} />
        </h3>
        <p class="muted small">
          {summaryOf(webhook.events)}
          {webhook.disabled_reason !== null && (
            <>
              <span class="faint"> · </span>disabled: {webhook.disabled_reason}
            </>
          )}
          {webhook.enabled && webhook.failing_since !== null && (
            <>
              <span class="faint"> · </span>failing since <Ago at={webhook.failing_since} />
            </>
          )}
        </p>
      </div>
      <Actions {...props} />
      <Deliveries path={path} webhook={webhook} changed={changed} />
    </li>
  );
}

function State({ webhook }: { webhook: Webhook }): JSX.Element {
  if (!webhook.enabled) return <span class="badge bad">Disabled</span>;
  return webhook.failing_since === null ? (
    <span class="badge good">Enabled</span>
  ) : (
    <span class="badge warn">Failing</span>
  );
}

function Actions({ path, webhook, changed, onUpdate, rotated, removed }: RowProps): JSX.Element {
  const { url, enabled } = webhook;
  const shownUrl = formatUrl(url);
  const test = () => trial(path, () => call("POST", `${path}/test`), changed);
  const setEnabled = async (on: boolean) => {
    onUpdate(await call<Webhook>("PATCH", path, { enabled: on }));
    announce(on ? `The webhook ${shownUrl} is enabled.` : `The webhook ${shownUrl} is disabled.`, () =>
      setEnabled(!on),
    );
  };
  const rotate = async () => rotated(await call<WebhookWithSecret>("POST", `${path}/rotate`));
  const remove = async () => {
    await call("DELETE", path);
    removed();
    announce(`The webhook ${shownUrl} was deleted.`);
  };
  const of = <span class="visually-hidden"> {url}</span>;
  return (
    <div class="actions">
      <ActionButton class="small" ready={enabled} run={test}>
        Send test{of}
      </ActionButton>
      <button type="button" class="button small" onClick={() => attempt(() => setEnabled(!enabled))}>
        {enabled ? "Disable" : "Enable"}
        {of}
      </button>
      <ConfirmButton
        label={<>Rotate secret{of}</>}
        class="quiet small"
        title="Rotate the signing secret?"
        action="Rotate secret"
        onConfirm={rotate}
      >
        <p class="muted">
          You get a new secret. For 24 hours, deliveries to {shownUrl} are signed with both, so that you can replace it.
        </p>
      </ConfirmButton>
      <ConfirmButton
        label={<>Delete{of}</>}
        class="quiet small"
        title="Delete this webhook?"
        action="Delete webhook"
        onConfirm={remove}
      >
        <p class="muted">Nothing more is sent to {shownUrl}, and its delivery history is deleted.</p>
      </ConfirmButton>
    </div>
  );
}
