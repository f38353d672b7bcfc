import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { ServerSetting } from "../../api/types.ts";
import { Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { type Column, Table } from "../../parts/table.tsx";

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
      <Head title="Settings">
        <label class="switch">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          Show defaults
        </label>
      </Head>
      <p class="muted">
        Settings are changed on the command line, in the environment or in vitrine.toml, and take effect at the next
        start.
      </p>
      <Loaded resource={settings} what="the settings" skeleton={<SkeletonRows rows={8} />}>
        {(known) => (
          <div class="card">
            <Table
              label="Settings"
              class="compact as-list server-settings"
              columns={COLUMNS}
              rows={known.filter((setting) => all || isTold(setting))}
              keyOf={({ name }) => name}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

// --- internal ---

/** Shown also with their defaults, because they decide whether anybody may publish to the world. */
const POLICY: readonly string[] = ["default-access", "public-sites"];

function isTold({ name, source }: ServerSetting): boolean {
  return source !== "default" || POLICY.includes(name);
}

const COLUMNS: readonly Column<ServerSetting>[] = [
  { key: "setting", head: "Setting", isName: true, cell: ({ name }) => <code>--{name}</code> },
  {
    key: "value",
    head: "Value",
    class: "v-value",
    cell: ({ value }) => (value === null ? <span class="muted">not set</span> : <code>{value}</code>),
  },
  { key: "source", head: "Source", class: "v-source muted", cell: ({ source }) => SOURCES[source] },
];
