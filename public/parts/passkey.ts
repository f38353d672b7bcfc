// The passkeys of the browser, with the JSON methods of WebAuthn, which all current browsers have.

/** Returns whether the browser can use passkeys. */
export function hasPasskeys(): boolean {
  return "PublicKeyCredential" in globalThis && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Lets the browser create a passkey, and returns the API's body for it. Rejects if the user cancels. */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return jsonOf(navigator.credentials.create({ publicKey }));
}

/** Lets the user choose a passkey that signs a challenge, and returns the API's body for it. Rejects if they cancel. */
export async function askForPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
  how: { readonly mediation?: CredentialMediationRequirement; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return jsonOf(navigator.credentials.get({ publicKey, ...how }));
}

// --- internal ---

/** What the browser says when the user cancels, or has no passkey, is for developers. */
const MESSAGES: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used: it was cancelled, or took too long.",
  InvalidStateError: "This device has a passkey of your account already.",
};

async function jsonOf(requested: Promise<Credential | null>): Promise<unknown> {
  try {
    return ((await requested) as PublicKeyCredential).toJSON();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Error(MESSAGES[error.name] ?? `The browser could not use a passkey: ${error.message}`);
  }
}
