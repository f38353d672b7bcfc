import { errorCode, messageOf } from "../../domain/error-message.ts";
import { driverError, sqlState } from "./failures.ts";

/** Returns why a database cannot be used and what to do, for the operator. */
export function reasonOf(thrown: unknown): string {
  const error = driverError(thrown);
  const message = messageOf(error);
  const advice = ADVICE[sqlState(error)] ?? ADVICE[errorCode(error)];
  return advice === undefined ? message : `${message}: ${advice}`;
}

// --- internal ---

const PASSWORD = "check the user and the password in --database, or VITRINE_DATABASE_PASSWORD";
const ROOT = "name its root certificate in the URL, with sslrootcert=FILE";
const VALIDITY = "renew it, and check the clock of this machine";

/** By SQLSTATE or by the driver's code. */
const ADVICE: Readonly<Record<string, string>> = {
  "28P01": PASSWORD,
  "28000": PASSWORD,
  "3D000": "create it with ENCODING 'UTF8', or check its name in --database",
  "42501": "the user must own the database",
  "53300": "raise max_connections of the server, or stop what else uses it",
  "57P03": "wait until it has started",
  ERR_TLS_CERT_ALTNAME_INVALID: "use a name in --database for which its certificate is valid",
  SELF_SIGNED_CERT_IN_CHAIN: ROOT,
  DEPTH_ZERO_SELF_SIGNED_CERT: ROOT,
  UNABLE_TO_GET_ISSUER_CERT: ROOT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ROOT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ROOT,
  CERT_HAS_EXPIRED: VALIDITY,
  CERT_NOT_YET_VALID: VALIDITY,
  ERR_POSTGRES_TLS_NOT_AVAILABLE: "set ssl = on there, or use another sslmode",
  ERR_POSTGRES_CONNECTION_REFUSED: "check host and port, and whether it runs",
  ERR_POSTGRES_CONNECTION_TIMEOUT: "check host and port, and the network between",
};
