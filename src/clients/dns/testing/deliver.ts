/** Sends a response and ignores errors, because the client may be gone or its address forged. */
export async function deliver<Answer>(send: (response: Answer) => unknown, response: Answer): Promise<void> {
  try {
    await send(response);
  } catch {}
}
