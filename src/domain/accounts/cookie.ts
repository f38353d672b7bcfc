/**
 * A cookie of one host. With HTTPS its name begins with `__Host-`, so that no other host, and no page that came over
 * plain HTTP, can set or read it; on plain HTTP, which is for localhost, browsers refuse that name.
 */
interface HostCookie {
  readonly name: string;
  /** Returns the `Set-Cookie` that gives the browser the value; `maxAge` in milliseconds. */
  set(value: string, maxAge: number): string;
  /** Returns the `Set-Cookie` that makes the browser forget it. */
  clear(): string;
  /**
   * Returns the value from a `Cookie` header, or null when there is none. A cookie that came twice counts as none: one
   * of them was set by somebody else.
   */
  read(header: string | null): string | null;
}

/** `secure` tells whether the server is reached over HTTPS. */
export function hostCookie(label: string, secure: boolean): HostCookie {
  const name = secure ? `__Host-${label}` : label;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    name,
    set: (value, maxAge) => `${name}=${value}; ${attributes}; Max-Age=${Math.floor(maxAge / 1000)}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    read(header) {
      const values = (header ?? "")
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      const [value] = values;
      return values.length === 1 && value !== undefined && /^[\w-]{1,200}$/.test(value) ? value : null;
    },
  };
}

/** All the cookies there are: who is signed in at the base address, and who visits a private site. */
export function cookies(baseUrl: string) {
  const secure = baseUrl.startsWith("https:");
  return {
    /** The session at the base address. */
    session: hostCookie("vitrine", secure),
    /** A sign-in that waits for the provider. */
    attempt: hostCookie("vitrine-sign-in", secure),
    /** A private site's own: the visit, and the proof that who comes back is who left. */
    visit: hostCookie("vitrine-visit", secure),
    state: hostCookie("vitrine-state", secure),
  } as const;
}

export type Cookies = ReturnType<typeof cookies>;
