import { useEffect, useState } from "preact/hooks";

/** The time after the last key until typing has stopped. */
const TYPED_MS = 250;

/** Returns the text once it has not changed for a moment. A hook. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
