/**
 * @file fetch with a bound on the time to connect, and none of its own on the time to reply.
 *
 * Node's fetch gives up on a server that is silent for five minutes, and connects for ten seconds; a slow model takes
 * longer. Both can be set on the dispatcher that Node's own fetch takes. Where it cannot be found, Node's bounds hold.
 */

export interface Connection {
  readonly fetch: typeof fetch;
  /** Closes the connections that are kept open. */
  close(): Promise<void>;
}

interface Dispatcher {
  close(): Promise<void>;
}

/** Node keeps the dispatcher of its fetch under this name, for its own library to find. */
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");

export function connectionWith(connectSeconds: number): Connection {
  void Headers; // touching any part of fetch makes Node load it, and with it the dispatcher
  const found = (globalThis as Record<symbol, unknown>)[globalDispatcher];
  const Agent = found?.constructor as (new (options: object) => Dispatcher) | undefined;
  if (Agent?.name !== "Agent") return { fetch, close: async () => {} };
  const connect = { timeout: connectSeconds * 1000 };
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  return {
    // a field of Node's fetch that the types of the web's do not have
    fetch: (input, init) => fetch(input, { ...init, dispatcher: agent } as RequestInit),
    close: () => agent.close(),
  };
}
