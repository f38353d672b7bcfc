/** Says why no domain can be added. */
export function whyClosed(status: "disabled" | "not_ready", routingEnabled: boolean): string {
  const means = routingEnabled ? "--domains on" : "--routing-targets";
  if (status === "disabled")
    return `custom domains are disabled on this server: its operator can enable them with ${means}`;
  if (!routingEnabled) return "custom domains are not ready: the operator of this server must set --routing-targets";
  return "custom domains are not ready: the server is still starting, or its ACME account is not usable yet";
}
