import { useEffect, useState } from "preact/hooks";
import type { Upload } from "./collect.ts";

/** Somebody wants to deploy; `site` is the site whose page they are on, and `upload` what they dropped. */
export interface DeployRequest {
  readonly site: string | null;
  readonly upload: Upload | null;
}

let current: DeployRequest | null = null;
let tell: (request: DeployRequest | null) => void = () => {};

/** Opens the deploy dialog; one that is open stays as it is. */
export function requestDeploy(request: DeployRequest): void {
  if (current !== null) return;
  current = request;
  tell(current);
}

export function endDeploy(): void {
  current = null;
  tell(null);
}

export function useDeployRequest(): DeployRequest | null {
  const [request, setRequest] = useState(current);
  useEffect(() => {
    tell = setRequest;
  }, []);
  return request;
}
