import { useLayoutEffect, useState } from "preact/hooks";
import type { Reading } from "./collect.ts";

/** A request to deploy, with the site of the current page and the dropped files. */
export interface DeployRequest {
  readonly site: string | null;
  readonly dropped: Reading | null;
}

let current: DeployRequest | null = null;
let onRequest: (request: DeployRequest | null) => void = () => {};

let take: ((dropped: Reading) => void) | null = null;

/** Opens the deploy dialog, or passes the dropped files to the open one. */
export function requestDeploy(request: DeployRequest): void {
  if (current !== null) {
    if (request.dropped) take?.(request.dropped);
    return;
  }
  current = request;
  onRequest(current);
}

export function endDeploy(): void {
  current = null;
  onRequest(null);
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
    onRequest = setRequest;
  }, []);
  return request;
}
