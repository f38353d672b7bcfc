/** Sends an answer. A sender that is gone by now, or with an address that is made up, is none of our concern. */
export async function deliver<Answer>(send: (answer: Answer) => unknown, answer: Answer): Promise<void> {
  try {
    await send(answer);
  } catch {}
}
