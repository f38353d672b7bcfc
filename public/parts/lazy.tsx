import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns a component whose code is loaded when it is first shown, and a function that preloads it. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** Shown while it is loading. */
  Placeholder: () => JSX.Element | null = () => null,
  /** Shown if it cannot be loaded. */
  Failed: () => JSX.Element = () => <NotLoaded />,
): ((props: Props) => JSX.Element | null) & { preload: () => void } {
  let Loaded: ComponentType<Props> | null = null;
  let pending: Promise<void> | null = null;
  const ask = (): Promise<void> => {
    pending ??= load().then(
      (component) => {
        Loaded = component;
      },
      (error) => {
        pending = null;
        throw error;
      },
    );
    return pending;
  };
  const Lazy = (props: Props) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(Loaded ? "loaded" : "loading");
    useEffect(() => {
      // Needed even if the component has loaded since the first render: only `settle` renders it then.
      let isShown = true;
      const settle = (next: "loaded" | "failed") => {
        if (isShown) setState(next);
      };
      ask().then(
        () => settle("loaded"),
        () => settle("failed"),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (Loaded) return <Loaded {...props} />;
    return state === "failed" ? <Failed /> : <Placeholder />;
  };
  return Object.assign(Lazy, { preload: () => void ask().catch(() => {}) });
}

/**
 * A new version of the server has other file names, so only a reload of the whole page helps. `isPage` if there is
 * nothing else on the page.
 */
export function NotLoaded({ isPage = false }: { isPage?: boolean }): JSX.Element {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div class="empty" role="alert">
      <Heading>This page could not be loaded</Heading>
      <p>The server may be unreachable, or have been updated.</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </div>
  );
}
