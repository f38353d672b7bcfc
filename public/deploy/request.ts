import { useLayoutEffect, useState } from "preact/hooks";
import type { Reading } from "./collect.ts";

/** A request to deploy, with the site of the current page and the dropped files. */
export interface DeployRequest {
  readonly site: string | null;
  readonly dropped: Reading | null;
}

let current: DeployRequest | null = null;
let tell: (request: DeployRequest | null) => void = () => {};

let take: ((dropped: Reading) => void) | null = null;

/** Opens the deploy dialog, or passes the dropped files to the open one. */
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

/** Passes drops to `taker` while its component is mounted. */
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
