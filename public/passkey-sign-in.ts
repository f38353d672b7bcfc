// Offers passkeys on the sign-in page: in the suggestions of the login field, and with a button.
import { sentence } from "./format.ts";
import { askForPasskey, hasPasskeys } from "./parts/passkey.ts";

/** Renewed before the server forgets the challenge, after five minutes. */
const CHALLENGE_FRESH_MS = 4 * 60_000;

const way = document.querySelector<HTMLElement>(".passkey");
if (way && hasPasskeys()) void offer(way);

async function offer(way: HTMLElement): Promise<void> {
  way.hidden = false;
  way.querySelector("button")?.addEventListener("click", () => attempt(way, "optional"));
  if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return;
  suggest(way);
  // A page that was left open has an old challenge.
  addEventListener("focus", () => performance.now() - suggestedAt > CHALLENGE_FRESH_MS && suggest(way));
}

let suggestedAt = 0;
let pending = new AbortController();

function suggest(way: HTMLElement): void {
  suggestedAt = performance.now();
  void attempt(way, "conditional");
}

/** Signs in. The browser handles one request for a passkey at a time, so the one before ends. */
async function attempt(way: HTMLElement, mediation: "conditional" | "optional"): Promise<void> {
  pending.abort();
  pending = new AbortController();
  const { signal } = pending;
  let isChosen = mediation === "optional";
  if (isChosen) show(way, null);
  try {
    const options = await post<PublicKeyCredentialRequestOptionsJSON>("/sign-in/passkey/options");
    signal.throwIfAborted();
    const response = await askForPasskey(options, { mediation, signal });
    isChosen = true;
    const body = { response, return_to: way.dataset.returnTo };
    location.assign((await post<{ return_to: string }>("/sign-in/passkey", body)).return_to);
  } catch (error) {
    if (signal.aborted || !isChosen) return;
    show(way, (error as Error).message);
    if (await PublicKeyCredential.isConditionalMediationAvailable()) suggest(way);
  }
}

function show(way: HTMLElement, problem: string | null): void {
  const line = way.querySelector("p");
  if (!line) return;
  line.hidden = problem === null;
  line.textContent = problem;
}

/** The server's sentence about a wrong sign-in is about passwords. */
const WRONG = "The passkey was not accepted. Try again, or sign in with your password.";

async function post<T>(path: string, body: object = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok) return answer as T;
  const { detail } = answer as { detail?: unknown };
  throw new Error(response.status === 401 || typeof detail !== "string" ? WRONG : sentence(detail));
}
