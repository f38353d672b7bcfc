import { useEffect, useReducer } from "preact/hooks";

/** Redraws all components that show state outside of components. */
interface Notice {
  /** A hook: redraws the component with each `tell`. */
  readonly use: () => void;
  readonly tell: () => void;
}

export function makeNotice(): Notice {
  const listeners = new Set<() => void>();
  return {
    use() {
      const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
      useEffect(() => {
        const listener = () => redraw(null);
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      }, []);
    },
    tell() {
      for (const listener of listeners) listener();
    },
  };
}
