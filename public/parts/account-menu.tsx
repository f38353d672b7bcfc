import type { JSX } from "preact";
import type { User } from "../api/types.ts";
import { accountPath, consolePath } from "../router.ts";
import { forgetAllKept } from "./kept.ts";
import { Menu, MenuHead, MenuItem, MenuLine, MenuLink } from "./menu.tsx";
import { Avatar } from "./status.tsx";
import { chooseTheme, nextTheme, THEME_ICONS, type Theme, useTheme } from "./theme.ts";

const THEME_NAMES: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

/** The menu of the avatar: account, theme, help, sign out. `me` is undefined while it is loading. */
export function AccountMenu({ me }: { me: User | undefined }): JSX.Element {
  const theme = useTheme();
  const login = me?.login ?? "";
  return (
    <Menu label={login ? `Account: ${login}` : "Account"} class="crumb" button={<Avatar name={login || " "} />}>
      <MenuHead>{me?.operator ? `${login} · operator` : login || "Account"}</MenuHead>
      <MenuLink href={accountPath()} icon="user">
        Account
      </MenuLink>
      <MenuLink href={accountPath("sessions")} icon="key">
        Sessions
      </MenuLink>
      <MenuLink href={accountPath("agents")} icon="agent">
        Agents
      </MenuLink>
      <MenuLink href={accountPath("command-line")} icon="terminal">
        Command line
      </MenuLink>
      {me?.operator && (
        <MenuLink href={consolePath()} icon="server">
          Console
        </MenuLink>
      )}
      <MenuLine />
      <MenuItem
        icon={THEME_ICONS[theme]}
        end={THEME_NAMES[theme]}
        keepOpen
        onClick={() => chooseTheme(nextTheme(theme))}
      >
        Theme
      </MenuItem>
      <MenuLink href="/docs" icon="info">
        API reference
      </MenuLink>
      <MenuLine />
      <MenuItem icon="signOut" onClick={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

/**
 * Submits a plain form, like the pages without scripts, because the server ends the session and redirects to the
 * sign-in page.
 */
export function signOut(): void {
  forgetAllKept();
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/sign-out";
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "return_to";
  field.value = "/";
  form.append(field);
  document.body.append(form);
  form.submit();
}
