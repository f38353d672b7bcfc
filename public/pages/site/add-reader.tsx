import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, messageOf } from "../../api/client.ts";
import type { Person, Reader } from "../../api/types.ts";
import { Problem } from "../../parts/dialog.tsx";
import { useKept } from "../../parts/kept.ts";
import { announce } from "../../parts/toasts.tsx";

/** Milliseconds without a key before a login is looked up: nobody means every letter on the way. */
const PAUSE = 350;

/** A login, looked up while it is typed, so that the right person is added. */
export function AddReader({ site, added }: { site: string; added: (reader: Reader) => void }): JSX.Element {
  const [login, setLogin] = useKept(`reader.${site}`, "");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const found = useLookUp(site, login.trim());
  const add = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const reader = await call<Reader>("POST", `/sites/${site}/access/readers`, { provider_login: login.trim() });
      added(reader);
      announce(`${reader.provider_login} can open ${site} now.`);
      setLogin("");
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <form class="card card-body" onSubmit={add}>
      <div class="form-row">
        <label class="field">
          Login
          <input
            value={login}
            required
            maxLength={100}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-describedby="reader-found"
            onInput={(event) => setLogin(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary" disabled={busy || login.trim() === ""}>
          Add reader
        </button>
      </div>
      <p id="reader-found" class={`small ${found.bad ? "field-error" : "muted"}`} role="status">
        {found.text}
      </p>
      <Problem text={problem} />
    </form>
  );
}

interface Found {
  readonly text: string;
  readonly bad: boolean;
}

const NOBODY_YET: Found = { text: "The name they sign in with here.", bad: false };

function useLookUp(site: string, login: string): Found {
  const [found, setFound] = useState(NOBODY_YET);
  useEffect(() => {
    if (login === "") return setFound(NOBODY_YET);
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await lookUp(site, login, abort.signal);
      if (!abort.signal.aborted) setFound(answer);
    }, PAUSE);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [site, login]);
  return found;
}

async function lookUp(site: string, login: string, signal: AbortSignal): Promise<Found> {
  try {
    const path = `/sites/${site}/access/provider-users/${encodeURIComponent(login)}`;
    const person = await call<Person>("GET", path, undefined, signal);
    const name = person.provider_name === null ? "" : `, ${person.provider_name}`;
    return { text: `Found ${person.provider_login}${name}.`, bad: false };
  } catch (error) {
    const missing = error instanceof ApiError && error.status === 404;
    return { text: missing ? "Nobody has that login." : messageOf(error), bad: true };
  }
}
