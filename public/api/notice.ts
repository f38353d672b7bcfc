import { useEffect, useReducer } from "preact/hooks";

/** Redraws all components that show state outside of components. */
interface Notice {
  /** A hook that redraws the component with each `notify`. */
  readonly use: () => void;
  readonly notify: () => void;
}

export function makeNotice(): Notice {
  const listeners = new Set<() => void>();
  return {
    use() {
      const [, redraw] = useReducer((count: number, _state: null) => count + 1, 0);
      useEffect(() => {
        const listener = () => redraw(null);
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      }, []);
    },
    notify() {
      for (const listener of listeners) listener();
    },
  };
}
