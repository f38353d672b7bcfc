/**
 * Wraps an object so that `failureOf` translates the errors of its methods and of its members' methods: errors that they
 * throw, of the promises they return, and of iterators.
 */
export function withDomainErrors<T extends object>(noun: T, failureOf: FailureOf): T {
  const members = Object.entries(noun).map(([name, member]) => [name, telling(noun, member, failureOf)]);
  return Object.fromEntries(members) as T;
}

type FailureOf = (error: unknown) => unknown;

function telling(noun: object, member: unknown, failureOf: FailureOf): unknown {
  if (typeof member === "function") return tellingMethod(member.bind(noun), failureOf);
  return typeof member === "object" && member !== null ? withDomainErrors(member, failureOf) : member;
}

function tellingMethod(method: (...args: unknown[]) => unknown, failureOf: FailureOf) {
  const tell = (error: unknown): never => {
    throw failureOf(error);
  };
  return (...args: unknown[]) => {
    try {
      const result = method(...args);
      if (result instanceof Promise) return result.catch(tell);
      return isIterated(result) ? tellingItems(result, tell) : result;
    } catch (error) {
      return tell(error);
    }
  };
}

function isIterated(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

async function* tellingItems(items: AsyncIterable<unknown>, tell: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    tell(error);
  }
}
