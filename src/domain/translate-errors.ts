/**
 * Wraps an object so that `failureOf` translates the errors of its methods and of its members' methods: errors that they
 * throw, of the promises they return, and of iterators.
 */
export function withDomainErrors<T extends object>(noun: T, failureOf: FailureOf): T {
  const members = Object.entries(noun).map(([name, member]) => [name, translating(noun, member, failureOf)]);
  return Object.fromEntries(members) as T;
}

type FailureOf = (error: unknown) => unknown;

function translating(noun: object, member: unknown, failureOf: FailureOf): unknown {
  if (typeof member === "function") return translatingMethod(member.bind(noun), failureOf);
  return typeof member === "object" && member !== null ? withDomainErrors(member, failureOf) : member;
}

function translatingMethod(method: (...args: unknown[]) => unknown, failureOf: FailureOf) {
  const throwTranslated = (error: unknown): never => {
    throw failureOf(error);
  };
  return (...args: unknown[]) => {
    try {
      const result = method(...args);
      if (result instanceof Promise) return result.catch(throwTranslated);
      return isIterated(result) ? translatingItems(result, throwTranslated) : result;
    } catch (error) {
      return throwTranslated(error);
    }
  };
}

function isIterated(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

async function* translatingItems(items: AsyncIterable<unknown>, throwTranslated: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    throwTranslated(error);
  }
}
