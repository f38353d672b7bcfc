/** The server cannot start; the message is one line that says why and what to do. */
export class StartFailure extends Error {}
