import { type ContainerNode, h, options, render } from "preact";

// A browser runs effects after the next frame.
options.requestAnimationFrame = queueMicrotask;

interface Mounted<T> extends Disposable {
  /** What the hook returned last. */
  readonly shown: T;
}

/**
 * Runs a hook in a component that draws nothing, so that no document is needed. `settled` waits for its effects. The
 * component is removed with the end of the block.
 */
export function mount<T>(use: () => T): Mounted<T> {
  const last: { shown?: T } = {};
  const Host = () => {
    last.shown = use();
    return null;
  };
  const place = emptyPlace();
  render(h(Host, null), place);
  return {
    get shown() {
      return last.shown as T;
    },
    [Symbol.dispose]: () => render(null, place),
  };
}

/** Resolves when everything has run that is due: renderings, effects, and what follows from responses. */
export function settled(): Promise<void> {
  return Bun.sleep(0);
}

// --- internal ---

/** An element that stays empty. */
function emptyPlace(): ContainerNode {
  const same = (node: ContainerNode) => node;
  return {
    nodeType: 1,
    parentNode: null,
    firstChild: null,
    childNodes: [],
    insertBefore: same,
    appendChild: same,
    removeChild: same,
  };
}
