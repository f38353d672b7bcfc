import type { ComponentChildren, JSX } from "preact";
import { useResource } from "../../api/resource.ts";
import type { Limits } from "../../api/types.ts";
import { requestDeploy } from "../../deploy/request.ts";
import { formatBytes } from "../../format.ts";
import { Copyable } from "../../parts/basics.tsx";
import { commandLine, useClientSource } from "../../parts/command-line.ts";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { accountPath } from "../../router.ts";

/** The page of a user without sites. It accepts a dropped folder, and shows three other ways. */
export function FirstSite(): JSX.Element {
  const limits = useResource<Limits>("/capabilities/limits");
  const most = limits.data?.limits.find(({ name }) => name === "max_archive_bytes")?.value;
  const source = useClientSource();
  const { server } = source;
  return (
    <>
      <div class="welcome">
        <h1 tabIndex={-1}>Deploy your first site</h1>
        <p class="muted">
          Any folder with an <code>index.html</code>. It is live within seconds, and you can roll back at any time.
        </p>
      </div>
      <button type="button" class="drop card" onClick={() => requestDeploy({ site: null, dropped: null })}>
        <span class="drop-icon">
          <Icon name="upload" />
        </span>
        <span class="drop-title">Drop a folder or a ZIP here</span>
        <span class="muted small">
          or <span class="link">choose one</span>
          {most ? `, up to ${formatBytes(most)}` : ""}
        </span>
      </button>
      <div class="ways">
        <Way
          icon="terminal"
          title="From a terminal"
          text={`${commandLine(source, "login")}\n${commandLine(source, "deploy dist")}`}
          label="the commands"
          hint={
            <>
              Signs in once, then deploys any folder.{" "}
              <a href={accountPath("command-line")}>More about the command line</a>
            </>
          }
        />
        <Way
          icon="branch"
          title="From CI"
          text={commandLine(source, "deploy dist --site docs")}
          label="the step"
          hint="With a deployment token of the site, or without a secret from GitHub, GitLab or Forgejo."
        />
        <Way
          icon="link"
          title="With curl"
          text={`curl ${server}/deploy \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -F file=@site.zip`}
          label="the curl command"
          hint="With a session token, which login stores, or a deployment token."
        />
      </div>
    </>
  );
}

function Way(props: {
  icon: IconName;
  title: string;
  text: string;
  label: string;
  hint: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card card-body way">
      <h2>
        <span class="tile">
          <Icon name={props.icon} />
        </span>
        {props.title}
      </h2>
      <Copyable text={props.text} label={props.label} block />
      <p class="small muted">{props.hint}</p>
    </section>
  );
}
