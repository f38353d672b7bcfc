import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may } from "../../../../src/domain/model/role.ts";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { CreatedToken, DeploymentToken, Site } from "../../../api/types.ts";
import { Ago, Copyable, EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { useClientSource } from "../../../parts/command-line.ts";
import { ConfirmButton } from "../../../parts/dialog.tsx";
import { SelectField } from "../../../parts/field.tsx";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { LineForm } from "../../../parts/line-form.tsx";
import { keyOf, secretsOf } from "../../../parts/of-site.ts";
import { useOneTime } from "../../../parts/one-time.ts";
import { Avatar } from "../../../parts/status.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { Expires } from "../deployments/facts.tsx";
import { Publishers } from "./publishers.tsx";
import { SecretCard } from "./secret-card.tsx";
import { deployCommands } from "./token-words.ts";

export function TokensTab({ site }: { site: Site }): JSX.Element {
  const tokens = useResource<DeploymentToken[]>("/tokens");
  const created = useOneTime<CreatedToken>(secretsOf(site, "token"), tokens);
  const revoked = (id: string) => {
    created.dismiss(id);
    tokens.set((all) => all.filter((token) => token.id !== id));
  };
  return (
    <>
      {may(site.role, "manage_publishers") && <Publishers site={site} />}
      <div class="section-head">
        <h2>Deployment tokens</h2>
        <p class="muted small">
          For CI systems without publishers, and scripts. A token can deploy to {site.name}, and nothing else.
        </p>
      </div>
      <CreateToken site={site.name} created={created.add} />
      {created.all.map((token) => (
        <Secret key={token.id} created={token} dismiss={() => created.dismiss(token.id)} />
      ))}
      <Loaded resource={tokens} what="the tokens" skeleton={<SkeletonRows rows={2} />}>
        {(all) => <TokenList tokens={all.filter((token) => token.site_name === site.name)} revoked={revoked} />}
      </Loaded>
    </>
  );
}

const PERMISSIONS = [
  ["publish", "Publish"],
  ["preview", "Previews only"],
] as const;

function CreateToken({ site, created }: { site: string; created: (token: CreatedToken) => void }) {
  const [permission, setPermission] = useState<CreatedToken["permission"]>("publish");
  const [lifetime, setLifetime] = useState("");
  const create = async (name: string) => {
    const wanted = {
      site_name: site,
      permission,
      // Without a name the server uses the default.
      ...(name === "" ? {} : { name }),
      ...(lifetime === "" ? {} : { expires_in: lifetime }),
    };
    created(await call<CreatedToken>("POST", "/tokens", wanted));
  };
  return (
    <LineForm
      label="Name"
      action="Create token"
      kept={keyOf(site, "token")}
      placeholder="GitHub Actions"
      submit={create}
      maxLength={100}
    >
      <div class="form-row">
        <SelectField label="Permission" options={PERMISSIONS} value={permission} choose={setPermission} />
        <LifetimeField value={lifetime} choose={setLifetime} orNever />
      </div>
    </LineForm>
  );
}

function Secret({ created, dismiss }: { created: CreatedToken; dismiss: () => void }): JSX.Element {
  const commands = deployCommands(created, useClientSource());
  return (
    <SecretCard name={`token ${created.name}`} dismiss={dismiss}>
      <h3>{created.name}</h3>
      <p>Copy the token now. It will not be shown again.</p>
      <Copyable text={created.token} label="the token" />
      <p class="muted small">
        Save it as <code>VITRINE_TOKEN</code> in your CI's secrets, then deploy with Node.js, or with curl:
      </p>
      <Copyable text={commands.vitrine} label="the command" block />
      <Copyable text={commands.curl} label="the curl command" block />
    </SecretCard>
  );
}

type Revoked = (id: string) => void;

function TokenList({ tokens, revoked }: { tokens: readonly DeploymentToken[]; revoked: Revoked }) {
  if (tokens.length === 0) {
    return (
      <div class="card">
        <EmptyFace icon="key" title="No tokens yet">
          <p>Create one for each place that deploys, so that you can revoke them separately.</p>
        </EmptyFace>
      </div>
    );
  }
  return (
    <ul class="card list">
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} revoked={revoked} />
      ))}
    </ul>
  );
}

function TokenRow({ token, revoked }: { token: DeploymentToken; revoked: Revoked }): JSX.Element {
  const revoke = async () => {
    await call("DELETE", `/tokens/${token.id}`);
    revoked(token.id);
    announce(`${token.name} was revoked.`);
  };
  return (
    <li>
      <Avatar name={token.name} machine="key" />
      <div class="grow">
        <h3 class="strong cut">{token.name}</h3>
        <p class="tiny muted cut">
          Created <Ago at={token.created_at} />
          {token.expires_at !== "" && (
            <>
              <span class="faint"> · </span>
              <Expires at={token.expires_at} />
            </>
          )}
          <span class="faint"> · </span>
          {token.last_used_at === "" ? "Never used" : <LastUsed at={token.last_used_at} />}
        </p>
      </div>
      <span class="badge">{token.permission === "publish" ? "Publish" : "Previews only"}</span>
      <ConfirmButton
        label={
          <>
            Revoke<span class="visually-hidden"> {token.name}</span>
          </>
        }
        class="small"
        title={`Revoke ${token.name}?`}
        action="Revoke token"
        onConfirm={revoke}
      >
        <p class="muted">Anything that still uses this token is refused from its next request on.</p>
      </ConfirmButton>
    </li>
  );
}

function LastUsed({ at }: { at: string }): JSX.Element {
  return (
    <>
      Last used <Ago at={at} />
    </>
  );
}
