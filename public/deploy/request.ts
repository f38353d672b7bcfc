import { useLayoutEffect, useState } from "preact/hooks";
import type { Reading } from "./collect.ts";

/** Somebody wants to deploy; `site` is the site whose page they are on, and `dropped` what they brought along. */
export interface DeployRequest {
  readonly site: string | null;
  readonly dropped: Reading | null;
}

let current: DeployRequest | null = null;
let tell: (request: DeployRequest | null) => void = () => {};

let take: ((dropped: Reading) => void) | null = null;

/** Opens the deploy dialog; one that is open stays, and is given what was dropped. */
export function requestDeploy(request: DeployRequest): void {
  if (current !== null) {
    if (request.dropped) take?.(request.dropped);
    return;
  }
  current = request;
  tell(current);
}

export function endDeploy(): void {
  current = null;
  tell(null);
}

/** Has what is dropped given to `taker`, as long as the component that takes it is there. */
export function useDropped(taker: (dropped: Reading) => void): void {
  useLayoutEffect(() => {
    take = taker;
    return () => {
      take = null;
    };
  });
}

export function useDeployRequest(): DeployRequest | null {
  const [request, setRequest] = useState(current);
  useLayoutEffect(() => {
    tell = setRequest;
  }, []);
  return request;
}
