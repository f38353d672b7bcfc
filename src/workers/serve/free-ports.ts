import {
  type Config,
  formatListenAddress,
  type ListenAddress,
  withHttpPort,
  withListenPort,
} from "../../config/settings.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { StartFailure } from "../../domain/start-failure.ts";

/**
 * Returns the configuration with free ports. All threads share them, so they are determined before the threads start.
 * Because of the sharing, a second server of the same user could use them unnoticed, so each is first opened
 * exclusively. Throws StartFailure.
 */
export function withFreePorts(config: Config): Config {
  const listening = withListenPort(config, freePort("--listen", config.listen));
  if (config.metricsListen) freePort("--metrics-listen", config.metricsListen);
  return config.httpListen ? withHttpPort(listening, freePort("--http-listen", config.httpListen)) : listening;
}

// --- internal ---

function freePort(flag: string, { host, port }: ListenAddress): number {
  try {
    const probe = Bun.listen({ hostname: host ?? "::", port, exclusive: true, socket: { data() {} } });
    probe.stop(true);
    return probe.port;
  } catch (error) {
    throw new StartFailure(`cannot listen on ${formatListenAddress({ host, port })}: ${whyNoListener(flag, error)}`);
  }
}

function whyNoListener(flag: string, error: unknown): string {
  const code = errorCode(error);
  if (code === "EADDRINUSE") return `another program uses this address: stop it, or give another with ${flag}`;
  if (code === "EACCES") return `this user may not use the port: give one above 1023 with ${flag}, or the right to it`;
  if (code === "EADDRNOTAVAIL") return `this machine has no such address: give another with ${flag}`;
  return messageOf(error);
}
