import { eq } from "drizzle-orm";
import type { User } from "../../domain/accounts/user.ts";
import { adminChanged } from "../../domain/events/changes.ts";
import type { NewUser, UserStore } from "../../domain/ports/store/users.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { first } from "./rows.ts";
import { users } from "./schema.ts";

/** The columns of a person, as the domain sees one. */
export const userColumns = {
  id: users.id,
  provider: users.provider,
  subject: users.subject,
  login: users.login,
  name: users.name,
  avatarUrl: users.avatarUrl,
  mayOwn: users.mayOwn,
  operator: users.operator,
  createdAt: users.createdAt,
  frozen: users.frozen,
};

export function userStore({ read, write }: Connection): Pick<UserStore, "add" | "find"> {
  return {
    add: (user) =>
      write(async (tx) => {
        const added = await insertUser(tx, user);
        if (added) await announce(tx, adminChanged());
        return added;
      }),

    find: (id) => read((db) => first(db.select(userColumns).from(users).where(eq(users.id, id)))),
  };
}

/** Null where there is somebody of that subject or login. */
async function insertUser(tx: Drizzle, user: NewUser): Promise<User | null> {
  return first(tx.insert(users).values(user).onConflictDoNothing().returning(userColumns));
}
