// @simplewebauthn/server needs this polyfill before it is loaded. Here, because in the executable, the imports of a file
// that is loaded later do not run in their order.
import "reflect-metadata";
import type { WebAuthn } from "../../domain/ports/web-authn.ts";

/** Loads the library with the first response, because few threads ever get one. */
export const webAuthn: WebAuthn = {
  async verifyRegistration(...given) {
    const { verifyRegistration } = await import("./verify-web-authn.ts");
    return verifyRegistration(...given);
  },
  async verifyAssertion(...given) {
    const { verifyAssertion } = await import("./verify-web-authn.ts");
    return verifyAssertion(...given);
  },
};
