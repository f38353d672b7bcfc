import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { groupOfEntry } from "../../../../src/domain/model/group.ts";
import { ApiError, call, messageOf } from "../../../api/client.ts";
import type { Person, Reader } from "../../../api/types.ts";
import { LineForm } from "../../../parts/line-form.tsx";
import { keyOf } from "../../../parts/of-site.ts";
import { announce } from "../../../parts/toasts.tsx";

const DEBOUNCE_MS = 350;

/** A login that is looked up while typing, so that the right user is added. */
export function AddReader({ site, added }: { site: string; added: (reader: Reader) => void }): JSX.Element {
  const add = async (login: string) => {
    const reader = await call<Reader>("POST", `/sites/${site}/access/readers`, { provider_login: login });
    added(reader);
    announce(`${reader.provider_login} can now open ${site}.`);
  };
  return (
    <LineForm
      label="Login"
      action="Add reader"
      kept={keyOf(site, "reader")}
      required
      maxLength={300}
      submit={add}
      hint={(login) => <LookedUp site={site} login={login} />}
    />
  );
}

function LookedUp({ site, login }: { site: string; login: string }): JSX.Element {
  const { text, bad } = useLookUp(site, login);
  return <span class={bad ? "error" : "muted"}>{text}</span>;
}

interface Found {
  readonly text: string;
  readonly bad: boolean;
}

const NOBODY = "No user with this login is known here.";
const NOBODY_YET: Found = { text: "The login they sign in with.", bad: false };

function useLookUp(site: string, login: string): Found {
  const [found, setFound] = useState(NOBODY_YET);
  useEffect(() => {
    if (login === "") return setFound(NOBODY_YET);
    const group = groupOfEntry(login);
    if (group !== null)
      return setFound({ text: `Everybody in the group ${group} of the identity provider.`, bad: false });
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const response = await lookUp(site, login, abort.signal);
      if (!abort.signal.aborted) setFound(response);
    }, DEBOUNCE_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [site, login]);
  return found;
}

async function lookUp(site: string, login: string, signal: AbortSignal): Promise<Found> {
  // In a URL these two are dot segments.
  if (login === "." || login === "..") return { text: NOBODY, bad: true };
  try {
    const path = `/sites/${site}/access/provider-users/${encodeURIComponent(login)}`;
    const person = await call<Person>("GET", path, undefined, signal);
    const name = person.provider_name === null ? "" : `, ${person.provider_name}`;
    return { text: `Found ${person.provider_login}${name}.`, bad: false };
  } catch (error) {
    const missing = error instanceof ApiError && error.status === 404;
    return { text: missing ? NOBODY : messageOf(error), bad: true };
  }
}
