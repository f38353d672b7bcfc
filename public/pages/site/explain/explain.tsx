import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call } from "../../../api/client.ts";
import type { Site, VisitExplanation } from "../../../api/types.ts";
import { Problem, useProblem } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { replaceQuery, sitePath } from "../../../router.ts";
import { useAliases } from "../deployments/resources.ts";
import { Answer } from "./answer.tsx";
import { type Chain, followRedirects } from "./chain.ts";

/** Explains the response to visitors of an address. The address is in the URL of the page, so that it can be shared. */
export function ExplainTab({ site }: { site: Site }): JSX.Element {
  const [text, setText] = useKept(keyOf(site.name, "explain"), "");
  const [chain, setChain] = useState<Chain | null>(null);
  const [busy, setBusy] = useState(requestedIn(location.search) !== null);
  const [problem, setProblem] = useProblem();
  const turn = useRef(0);
  const explain = async (address: string) => {
    turn.current += 1;
    const mine = turn.current;
    setChain(null);
    setProblem(null);
    setBusy(true);
    try {
      const chain = await explainChain(site.name, address);
      // An example that was chosen meanwhile.
      if (mine !== turn.current) return;
      setChain(chain);
      const here = sitePath(site.name, "explain");
      // The user may have navigated elsewhere meanwhile.
      if (location.pathname === here) replaceQuery(`${here}?${new URLSearchParams({ path: address })}`);
    } catch (error) {
      if (mine !== turn.current) return;
      setProblem(error);
    }
    setBusy(false);
  };
  useEffect(() => {
    const requested = requestedIn(location.search);
    if (requested === null) return;
    setText(requested);
    void explain(requested);
  }, [site.name]);
  const tryOne = (address: string) => {
    setText(address);
    void explain(address);
  };
  return (
    <>
      <AddressForm text={text} change={setText} busy={busy} explain={(address) => void explain(address)} />
      <Examples site={site} choose={tryOne} />
      <Problem text={problem} />
      <div role="status" class="explanation-place" aria-busy={busy}>
        {chain && <Answer key={chain.hops[0]?.url} chain={chain} />}
      </div>
    </>
  );
}

function AddressForm(props: {
  text: string;
  change: (text: string) => void;
  busy: boolean;
  explain: (address: string) => void;
}): JSX.Element {
  const { text, busy } = props;
  const address = text.trim();
  const submit = (event: Event) => {
    event.preventDefault();
    if (address !== "" && !busy) props.explain(address);
  };
  return (
    <form class="explain-form" onSubmit={submit}>
      <label class="with-icon grow">
        <Icon name="route" />
        <span class="visually-hidden">URL or path</span>
        <input
          class="input large mono"
          value={text}
          placeholder="/old-page?from=mail"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          data-search
          onInput={(event) => props.change(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary tall" aria-disabled={busy || address === ""}>
        Explain
      </button>
    </form>
  );
}

/** The address in the page's URL; null for none. */
function requestedIn(search: string): string | null {
  return new URLSearchParams(search).get("path");
}

function Examples({ site, choose }: { site: Site; choose: (address: string) => void }): JSX.Element {
  const alias = useAliases(site.name).data?.[0];
  const addresses = ["/", "/no-such-page", ...(alias ? [`${alias.url}/`] : [])];
  return (
    <p class="line small muted try">
      <span>Examples</span>
      {addresses.map((address) => (
        <button key={address} type="button" class="chip" onClick={() => choose(address)}>
          <code>{address.replace(/^https?:\/\//, "")}</code>
        </button>
      ))}
    </p>
  );
}

async function explainChain(site: string, address: string): Promise<Chain> {
  const ask = (path: string) =>
    call<VisitExplanation>("GET", `/sites/${site}/explain?${new URLSearchParams({ path })}`);
  return followRedirects(await ask(address), (url) => ask(url).catch(noneOfTheSite));
}

/** Returns null for an address of another host, or one that the server itself serves. */
function noneOfTheSite(error: unknown): null {
  if (error instanceof ApiError && (error.status === 422 || error.status === 404)) return null;
  throw error;
}
