/** The configuration cannot be used. The message is one line that names the setting. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
