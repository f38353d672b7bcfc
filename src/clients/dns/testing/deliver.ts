/** Sends a response and ignores errors, because the client may be gone or its address forged. */
export async function deliver<Answer>(send: (answer: Answer) => unknown, answer: Answer): Promise<void> {
  try {
    await send(answer);
  } catch {}
}
