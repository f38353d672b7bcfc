import { useEffect, useState } from "preact/hooks";
import type { Upload } from "./collect.ts";

/** Somebody wants to deploy; `site` is the site whose page they are on, and `upload` what they dropped. */
export interface DeployRequest {
  readonly site: string | null;
  readonly upload: Upload | null;
}

let current: DeployRequest | null = null;
let tell: (request: DeployRequest | null) => void = () => {};

let pick: ((upload: Upload) => void) | null = null;

/** Opens the deploy dialog; one that is open stays as it is, and takes what was dropped if it waits for files. */
export function requestDeploy(request: DeployRequest): void {
  if (pick !== null && request.upload !== null) pick(request.upload);
  if (current !== null) return;
  current = request;
  tell(current);
}

export function endDeploy(): void {
  current = null;
  tell(null);
}

/** Has what is dropped given to `take`, as long as the component that waits for it is there. */
export function useDropped(take: (upload: Upload) => void): void {
  useEffect(() => {
    pick = take;
    return () => {
      pick = null;
    };
  });
}

export function useDeployRequest(): DeployRequest | null {
  const [request, setRequest] = useState(current);
  useEffect(() => {
    tell = setRequest;
  }, []);
  return request;
}
