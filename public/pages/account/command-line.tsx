import type { JSX } from "preact";
import { useResource } from "../../api/resource.ts";
import type { VersionReport } from "../../api/types.ts";
import { formatBytes } from "../../format.ts";
import { Copyable, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";

type Client = VersionReport["client"];

/** How to get the command-line client of this server, with the lines to copy. */
export function CommandLineTab(): JSX.Element {
  const version = useResource<VersionReport>("/version", { fixed: true });
  return (
    <>
      <Head
        title="Command line"
        about={<p class="muted">Deploy and manage your sites from a terminal and from CI.</p>}
      />
      <Loaded resource={version} what="the client" skeleton={<SkeletonRows rows={4} />}>
        {({ client: { npm, executables } }) =>
          npm === null ? <NotOffered /> : <Offered url={npm.url} executables={executables} />
        }
      </Loaded>
    </>
  );
}

// --- internal ---

function Offered({ url, executables }: { url: string; executables: Client["executables"] }): JSX.Element {
  return (
    <>
      <LinesCard
        title="Sign in and deploy"
        lines={[`npx ${url} login`, `npx ${url} deploy dist`]}
        foot="Needs Node.js 20 or newer, on Linux, macOS or Windows, and nothing to install. The first line shows a code, which you approve in the browser."
      />
      <LinesCard
        title="Install it"
        lines={[`npm install --global ${url}`, "vitrine deploy dist"]}
        foot="When the server is updated, the command says so, with the line that updates it."
      />
      <LinesCard
        title="In CI"
        lines={[`npx ${url} deploy dist --site NAME`]}
        foot="GitHub, GitLab and Forgejo need no secret: add a publisher in the settings of a site, and copy its workflow file. Elsewhere, set VITRINE_TOKEN to a deployment token."
      />
      {executables.map((executable) => (
        <ExecutableCard key={executable.platform} executable={executable} />
      ))}
    </>
  );
}

function ExecutableCard({ executable }: { executable: Client["executables"][number] }): JSX.Element {
  const { platform, url, sha256, bytes } = executable;
  return (
    <LinesCard
      title="Without Node.js"
      lines={[
        `curl --fail --output vitrine ${url} && chmod +x vitrine`,
        `./vitrine login --server ${new URL(url).origin}`,
      ]}
      foot={
        <p class="checksum">
          The server's own executable, for {platform}: {formatBytes(bytes)}, with the SHA-256 <code>{sha256}</code>
        </p>
      }
    />
  );
}

/** Each line can be copied by itself, because the next one often has to wait for it. */
function LinesCard(props: { title: string; lines: readonly string[]; foot: JSX.Element | string }): JSX.Element {
  return (
    <Card title={props.title} foot={props.foot}>
      <div class="card-body">
        {props.lines.map((line) => (
          <Copyable key={line} text={line} label={line} />
        ))}
      </div>
    </Card>
  );
}

function NotOffered(): JSX.Element {
  return (
    <LinesCard
      title="Sign in and deploy"
      lines={[`vitrine login --server ${location.origin}`, "vitrine deploy dist"]}
      foot="This server offers no client: the operator has disabled downloads. Ask them for the executable."
    />
  );
}
