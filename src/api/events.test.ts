import { afterAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const archive = await zipOf({ "index.html": "hello" });
afterAll(() => api[Symbol.asyncDispose]());

/** An open stream. Events are read one by one. */
class Reader {
  #text = "";
  /** The last event id, as a client stores it. */
  id = "";

  constructor(
    readonly response: Response,
    private readonly body = response.body!.getReader(),
  ) {}

  /** Returns the next event; null at the end. */
  async next(): Promise<{ readonly event: string; readonly data: unknown } | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        this.id = field("id") ?? this.id;
        const [event, data] = [field("event"), field("data")];
        if (event !== undefined && data !== undefined) return { event, data: JSON.parse(data) };
        continue;
      }
      const { value, done } = await this.body.read();
      if (done) return null;
      this.#text += new TextDecoder().decode(value);
    }
  }

  async upTo(event: string): Promise<string[]> {
    const names: string[] = [];
    for (let next = await this.next(); next; next = await this.next()) {
      names.push(next.event);
      if (next.event === event) return names;
    }
    return names;
  }

  close(): Promise<void> {
    return this.body.cancel();
  }
}

async function open(token: string, lastEventId?: string): Promise<Reader> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  return new Reader(await api.call("GET", "/events", { token, headers }));
}

/** Adds a user with a site. Their stream has started. */
async function userWithStream(site: string, makePrivate = false) {
  const { user, token } = await api.signUp(`owner-of-${site}`);
  const { id } = await addSite(api.store, site, user.id, makePrivate);
  return { user, token, siteId: id };
}

describe("an event stream", () => {
  test("informs the owner of a deployment, with nothing but its number", async () => {
    const { token } = await userWithStream("noticed");
    const stream = await open(token);
    expect(stream.response.status).toBe(200);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect((await api.deploy(token, archive, { site: "noticed" })).status).toBe(201);
    expect(await stream.next()).toEqual({
      event: "deployment.published",
      data: { site: "noticed", deployment_number: 2 },
    });
    await stream.close();
  });

  test("is not opened with a browser's cookie for a page of another origin, which could take all slots", async () => {
    const { token } = await userWithStream("embedded");
    const status = async (headers: Record<string, string>, credential: { token?: string } = {}) => {
      const response = await api.call("GET", "/events", { ...credential, headers });
      await response.body?.cancel();
      return response.status;
    };
    const cookie = `vitrine=${token}`;
    expect(await status({ cookie, "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await status({ cookie, "sec-fetch-site": "same-site" })).toBe(401);
    expect(await status({ cookie, "sec-fetch-site": "cross-site" })).toBe(401);
    expect(await status({ "sec-fetch-site": "cross-site" }, { token })).toBe(200);
  });

  test("has no events of other users' sites", async () => {
    const owner = await userWithStream("secret");
    const other = await userWithStream("others");
    const stream = await open(other.token);
    await api.deploy(owner.token, archive, { site: "secret" });
    await api.deploy(other.token, archive, { site: "others" });
    expect(await stream.next()).toMatchObject({ data: { site: "others" } });
    await stream.close();
  });

  test("informs a reader about visible changes until they lose access", async () => {
    const owner = await userWithStream("handbook", true);
    const reader = await userWithStream("readers-own");
    const stream = await open(reader.token);
    const added = await api.store.readers.add(owner.siteId, reader.user, 0);
    expect(await stream.next()).toEqual({ event: "sites.added", data: { site: "handbook" } });
    await api.deploy(owner.token, archive, { site: "handbook" });
    expect(await stream.next()).toMatchObject({ event: "deployment.published", data: { site: "handbook" } });
    await api.store.retention.setPinned(owner.siteId, 1, true);
    await api.store.readers.delete(owner.siteId, typeof added === "string" ? 0 : added.id);
    expect(await stream.next()).toEqual({ event: "access.changed", data: { site: null } });
    await api.deploy(owner.token, archive, { site: "handbook" });
    await api.deploy(reader.token, archive, { site: "readers-own" });
    expect(await stream.next()).toMatchObject({ data: { site: "readers-own" } });
    await stream.close();
  });

  test("omits earlier events of a site for a reader who lost access, also after a reconnect", async () => {
    const owner = await userWithStream("diary", true);
    const reader = await userWithStream("readers-diary");
    const added = await api.store.readers.add(owner.siteId, reader.user, 0);
    const stream = await open(reader.token);
    await api.deploy(reader.token, archive, { site: "readers-diary" });
    await stream.next();
    await stream.close();
    await api.deploy(owner.token, archive, { site: "diary" });
    await api.store.readers.delete(owner.siteId, typeof added === "string" ? 0 : added.id);
    const again = await open(reader.token, stream.id);
    expect(await again.next()).toEqual({ event: "access.changed", data: { site: null } });
    await again.close();
  });

  test("informs everyone who had access about a deleted site", async () => {
    const owner = await userWithStream("gone", true);
    const reader = await userWithStream("readers-gone");
    await api.store.readers.add(owner.siteId, reader.user, 0);
    const streams = [await open(owner.token), await open(reader.token)];
    expect((await api.call("DELETE", "/sites/gone", { token: owner.token })).status).toBe(204);
    for (const stream of streams) {
      expect(await stream.next()).toEqual({ event: "site.removed", data: { site: "gone" } });
      await stream.close();
    }
  });

  test("informs operators of users and sites while they are operators", async () => {
    const { user, token } = await userWithStream("operators");
    const stream = await open(token);
    await api.store.users.setOperator(user.id, true);
    expect(await stream.next()).toEqual({ event: "admin.changed", data: { site: null } });
    await userWithStream("anybodys");
    expect(await stream.upTo("admin.changed")).toEqual(["admin.changed"]);
    await api.store.users.setOperator(user.id, false);
    await api.deploy(token, archive, { site: "operators" });
    const names = await stream.upTo("deployment.published");
    expect(names.at(-1)).toBe("deployment.published");
    await api.signUp("nobody-hears-of");
    await api.deploy(token, archive, { site: "operators" });
    expect(await stream.next()).toMatchObject({ event: "deployment.published" });
    await stream.close();
  });

  test("continues after a reconnect, on any thread", async () => {
    const { token } = await userWithStream("paused");
    const stream = await open(token);
    await api.deploy(token, archive, { site: "paused" });
    await stream.next();
    await stream.close();
    await api.deploy(token, archive, { site: "paused" });
    await api.call("POST", "/sites/paused/deployments/2/activate", { token });
    const again = await open(token, stream.id);
    expect(await again.next()).toMatchObject({ event: "deployment.published", data: { deployment_number: 3 } });
    expect(await again.next()).toMatchObject({ event: "deployment.activated", data: { deployment_number: 2 } });
    await again.close();
  });

  test.each(["nonsense", "-1", "1.5", "999999999999", "9".repeat(16), " ", "1, 2"])(
    "starts with a reset after the unknown id %p",
    async (id) => {
      const { token } = await api.signUp(`lost-${Bun.hash(id)}`);
      const stream = await open(token, id);
      expect(await stream.next()).toEqual({ event: "reset", data: { site: null } });
      expect(stream.id).toMatch(/^\d+$/);
      await stream.close();
    },
  );

  test("starts with a reset if the log was truncated", async () => {
    const { token } = await userWithStream("late");
    const stream = await open(token);
    await api.deploy(token, archive, { site: "late" });
    await stream.next();
    await stream.close();
    await api.deploy(token, archive, { site: "late" });
    await api.store.liveEvents.deleteOld(-1000, 0);
    const again = await open(token, stream.id);
    expect(await again.next()).toMatchObject({ event: "reset" });
    await again.close();
  });

  test("is refused for a session with ten streams until one is closed", async () => {
    const { token } = await api.signUp("busy");
    const streams = [];
    for (let count = 0; count < 10; count++) streams.push(await open(token));
    const refused = await api.call("GET", "/events", { token });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(await refused.text()).toContain("10 event streams");
    await streams.pop()?.close();
    streams.push(await open(token));
    expect(streams.at(-1)?.response.status).toBe(200);
    for (const stream of streams) await stream.close();
  });

  test("may be closed by the client while it waits for events", async () => {
    const { token } = await userWithStream("left");
    const stream = await open(token);
    // The stream starts with a comment; afterwards it waits.
    await api.deploy(token, archive, { site: "left" });
    await stream.next();
    const waiting = stream.next();
    await stream.close();
    expect(await waiting).toBeNull();
  });

  test("needs no slot for a HEAD request", async () => {
    const { token } = await api.signUp("head");
    for (let count = 0; count < 11; count++) {
      const { status } = await api.call("HEAD", "/events", { token });
      expect(status).toBe(200);
    }
  });

  test("ends with its session, and other sessions' streams continue", async () => {
    const { user, token } = await userWithStream("ended");
    const [stream, other] = [await open(token), await open((await api.signUp("other-person")).token)];
    expect((await api.call("DELETE", "/auth/session", { token })).status).toBe(204);
    expect(await stream.next()).toBeNull();
    await api.store.users.setFrozen(user.id, { at: 0, reason: null });
    await other.close();
  });

  test("ends when the user is frozen, gets a new password, or is removed", async () => {
    for (const end of [
      (id: number) => api.store.users.setFrozen(id, { at: 0, reason: null }),
      (id: number) => api.store.users.setPassword(id, "other"),
      (id: number) => api.store.users.delete(id),
    ]) {
      const { user, token } = await api.signUp(`ending-${crypto.randomUUID()}`);
      const stream = await open(token);
      await end(user.id);
      expect(await stream.next()).toBeNull();
    }
  });
});

test("no unexpected error was reported", () => {
  expect(api.reported).toEqual([]);
});
