import type { JSX } from "preact";
import { useResource } from "../api/resource.ts";
import { together } from "../api/together.ts";
import type { Limits, SignInMethods, User } from "../api/types.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { signOut } from "../parts/account-menu.tsx";
import { Head, Loaded, NotLoaded, Page, SkeletonRows } from "../parts/basics.tsx";
import { Card } from "../parts/card.tsx";
import { GroupsCard } from "../parts/groups.tsx";
import { Meter } from "../parts/status.tsx";
import { TopTabs } from "../parts/tabs.tsx";
import { ACCOUNT_TABS, accountPath, type AccountTab as Tab } from "../router.ts";
import { AgentsTab } from "./account/agents.tsx";
import { CommandLineTab } from "./account/command-line.tsx";
import { SessionsTab } from "./account/sessions.tsx";
import { WaysIn } from "./account/ways-in.tsx";

const TITLES: Record<Tab, string> = {
  account: "Account",
  sessions: "Sessions",
  agents: "Agents",
  "command-line": "Command line",
};

export function AccountPage({ tab }: { tab: Tab }): JSX.Element {
  const tabs = ACCOUNT_TABS.map((name) => ({ href: accountPath(name), name: TITLES[name], current: name === tab }));
  return (
    <Page title={TITLES[tab]} tabs={<TopTabs label="Account" tabs={tabs} />}>
      {tab === "account" && <AccountTab />}
      {tab === "sessions" && <SessionsTab />}
      {tab === "agents" && <AgentsTab />}
      {tab === "command-line" && <CommandLineTab />}
    </Page>
  );
}

function AccountTab(): JSX.Element {
  const me = useResource<User>("/auth/me");
  const limits = useResource<Limits>("/capabilities/limits");
  const methods = useResource<SignInMethods>("/auth/sign-in-methods");
  return (
    <>
      <Head
        title={me.data?.name ?? me.data?.login ?? "Account"}
        about={<p class="muted">{me.data ? `Signed in as ${me.data.login}` : "\u00a0"}</p>}
      >
        <button type="button" class="button" onClick={signOut}>
          Sign out
        </button>
      </Head>
      <NotLoaded resource={me} what="your account" />
      <Loaded resource={together(limits, me, methods)} what="your usage" skeleton={<SkeletonRows rows={2} />}>
        {({ own }) => (
          <>
            {me.data?.provider === "local" && methods.data && <WaysIn login={me.data.login} methods={methods.data} />}
            <GroupsCard />
            {own && (
              <Card title="Usage" foot="Every deployment that is kept counts, not only the live one.">
                <ul class="list usage">
                  <UsageRow name="Sites" {...own.sites} format={formatNumber} />
                  <UsageRow name="Storage" {...own.bytes} format={formatBytes} />
                </ul>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function UsageRow(props: {
  name: string;
  used: number;
  limit: number | null;
  format: (value: number) => string;
}): JSX.Element {
  const { name, used, limit, format } = props;
  const isFull = limit !== null && used >= limit;
  // A share needs a positive maximum, also with a limit of 0.
  const most = limit === null ? null : Math.max(1, limit);
  return (
    <li>
      <span class="usage-name strong">{name}</span>
      <span class="usage-meter">
        {most !== null && <Meter share={used / most} tone={isFull ? "warn" : undefined} />}
      </span>
      <span class="muted small grow num">
        {format(used)} {limit === null ? "used, no limit" : `of ${format(limit)} used`}
      </span>
      {isFull && <span class="badge warn">Full</span>}
    </li>
  );
}
