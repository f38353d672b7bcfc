import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { ServerSetting } from "../../api/types.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";

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
    <section class="section">
      <p class="muted">
        Settings are changed on the command line, in the environment or in vitrine.toml, and take effect at the next
        start.
      </p>
      <label class="check">
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> Show defaults
      </label>
      <Loaded resource={settings} what="the settings" skeleton={<SkeletonRows rows={6} />}>
        {(known) => (
          <div class="card">
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">Source</th>
                </tr>
              </thead>
              <tbody>
                {known
                  .filter(({ source }) => all || source !== "default")
                  .map((setting) => (
                    <tr key={setting.name}>
                      <th scope="row">
                        <span class="list-name mono">--{setting.name}</span>
                      </th>
                      <td class="list-value">
                        {setting.value === null ? <span class="muted">not set</span> : setting.value}
                      </td>
                      <td>{SOURCES[setting.source]}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </section>
  );
}
