import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call } from "../../../api/client.ts";
import type { Site, VisitExplanation } from "../../../api/types.ts";
import { withoutScheme } from "../../../format.ts";
import { Problem, useProblem } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { ScrollRow } from "../../../parts/scroll-row.tsx";
import { replacePath, sitePath } from "../../../router.ts";
import { useAliases } from "../deployments/resources.ts";
import { Answer } from "./answer.tsx";
import { type Chain, followRedirects } from "./chain.ts";

/** Explains the response to visitors of a URL, which is in the URL of the page, so that it can be shared. */
export function ExplainTab({ site }: { site: Site }): JSX.Element {
  const [text, setText] = useKept(keyOf(site.name, "explain"), "");
  const [chain, setChain] = useState<Chain | null>(null);
  const [busy, setBusy] = useState(requestedIn(location.search) !== null);
  const [problem, setProblem] = useProblem();
  const turn = useRef(0);
  const explain = async (url: string) => {
    turn.current += 1;
    const mine = turn.current;
    setChain(null);
    setProblem(null);
    setBusy(true);
    try {
      const chain = await explainChain(site.name, url);
      // An example that was chosen meanwhile.
      if (mine !== turn.current) return;
      setChain(chain);
      const here = sitePath(site.name, "explain");
      // The user may have navigated elsewhere meanwhile.
      if (location.pathname === here) replacePath(`${here}?${new URLSearchParams({ path: url })}`);
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
  const tryOne = (url: string) => {
    setText(url);
    void explain(url);
  };
  return (
    <>
      <UrlForm text={text} change={setText} busy={busy} explain={(url) => void explain(url)} />
      <Examples site={site} choose={tryOne} />
      <Problem text={problem} />
      <div role="status" class="explanation-place" aria-busy={busy}>
        {chain && <Answer key={chain.hops[0]?.url} chain={chain} />}
      </div>
    </>
  );
}

function UrlForm(props: {
  text: string;
  change: (text: string) => void;
  busy: boolean;
  explain: (url: string) => void;
}): JSX.Element {
  const { text, busy } = props;
  const url = text.trim();
  const submit = (event: Event) => {
    event.preventDefault();
    if (url !== "" && !busy) props.explain(url);
  };
  return (
    <form class="explain-form" onSubmit={submit}>
      <label class="with-icon grow">
        <Icon name="route" />
        <span class="visually-hidden">URL or path</span>
        <input
          class="input mono"
          value={text}
          placeholder="/old-page?from=mail"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          data-search
          onInput={(event) => props.change(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary tall" aria-disabled={busy || url === ""}>
        Explain
      </button>
    </form>
  );
}

/** The URL to explain in the URL of the page; null for none. */
function requestedIn(search: string): string | null {
  return new URLSearchParams(search).get("path");
}

function Examples({ site, choose }: { site: Site; choose: (url: string) => void }): JSX.Element {
  const alias = useAliases(site.name).data?.[0];
  const urls = ["/", "/no-such-page", ...(alias ? [`${alias.url}/`] : [])];
  return (
    <ScrollRow class="line small muted try">
      <span>Examples</span>
      {urls.map((url) => (
        <button key={url} type="button" class="chip" onClick={() => choose(url)}>
          <code>{withoutScheme(url)}</code>
        </button>
      ))}
    </ScrollRow>
  );
}

async function explainChain(site: string, url: string): Promise<Chain> {
  const ask = (path: string) =>
    call<VisitExplanation>("GET", `/sites/${site}/explain?${new URLSearchParams({ path })}`);
  return followRedirects(await ask(url), (url) => ask(url).catch(noneOfTheSite));
}

/** Returns null for a URL of another host, or one that the server itself serves. */
function noneOfTheSite(error: unknown): null {
  if (error instanceof ApiError && (error.status === 422 || error.status === 404)) return null;
  throw error;
}
