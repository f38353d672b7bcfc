import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { ServerSetting } from "../../api/types.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { TableHead } from "../../parts/table.tsx";

const SOURCES: Record<ServerSetting["source"], string> = {
  flag: "command line",
  variable: "environment",
  file: "settings file",
  default: "default",
};

/** The server's settings with their sources. Read-only. */
export function ServerSettingsTab(): JSX.Element {
  const settings = useResource<ServerSetting[]>("/admin/settings");
  const [all, setAll] = useState(false);
  return (
    <>
      <div class="head">
        <h1 class="grow" tabIndex={-1}>
          Settings
        </h1>
        <label class="switch">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          Show defaults
        </label>
      </div>
      <p class="muted">
        Settings are changed on the command line, in the environment or in vitrine.toml, and take effect at the next
        start.
      </p>
      <Loaded resource={settings} what="the settings" skeleton={<SkeletonRows rows={8} />}>
        {(known) => <SettingTable settings={known.filter(({ source }) => all || source !== "default")} />}
      </Loaded>
    </>
  );
}

function SettingTable({ settings }: { settings: readonly ServerSetting[] }): JSX.Element {
  return (
    <div class="card">
      <table class="table compact as-list server-settings" aria-label="Settings">
        <thead>
          <TableHead columns={[["Setting"], ["Value"], ["Source", "v-source"]]} />
        </thead>
        <tbody>
          {settings.map(({ name, value, source }) => (
            <tr key={name}>
              <th scope="row">
                <code>--{name}</code>
              </th>
              <td class="v-value">{value === null ? <span class="muted">not set</span> : <code>{value}</code>}</td>
              <td class="v-source muted">{SOURCES[source]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
