/**
 * A cookie of one host. With HTTPS its name begins with `__Host-`, so that no other host, and no page over
 * plain HTTP, can set it. With plain HTTP, as on localhost, browsers refuse that prefix.
 */
interface HostCookie {
  readonly name: string;
  /** Returns the `Set-Cookie` with the value; `maxAge` in milliseconds. */
  set(value: string, maxAge: number): string;
  /** Returns the `Set-Cookie` that deletes it. */
  clear(): string;
  /**
   * Returns the value from a `Cookie` header, or null. A cookie that occurs twice is ignored, because one
   * of them was set by another party.
   */
  read(header: string | null): string | null;
}

/** `secure`: whether the server is reached over HTTPS. */
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

/** All cookies: the session at the base URL, and visits of private sites. */
export function cookies(baseUrl: string) {
  const secure = baseUrl.startsWith("https:");
  return {
    /** The session at the base URL. */
    session: hostCookie("vitrine", secure),
    /** A sign-in in progress at the provider. */
    attempt: hostCookie("vitrine-sign-in", secure),
    /** The challenge for a passkey that signs in, and the one for a new passkey. */
    passkey: hostCookie("vitrine-passkey", secure),
    newPasskey: hostCookie("vitrine-new-passkey", secure),
    /** On a private site's host: the visit, and the state that binds a sign-in to the browser. */
    visit: hostCookie("vitrine-visit", secure),
    state: hostCookie("vitrine-state", secure),
  } as const;
}

export type Cookies = ReturnType<typeof cookies>;
