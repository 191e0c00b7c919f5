/**
 * @file State machines whose transitions are API calls; a domain defines preconditions, effects and results as data.
 *
 *     login('ann')     user = None            requires a logged-out session        user = 'ann'
 *     pull('x')        user = 'ann'           requires a user                      local['x'] = remote['x']
 *     push('x')        user = 'ann'           else a PermissionError: nothing changes
 *
 * Values are Python literals. Reads are observed, not declared: each call is a consumer of the calls that last wrote what it read, its
 * producers.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench): APIs as data, pairs of producer and consumer. The three domains are our own.
 */

/** The values, in the order of the domain's variables. */
export type ApiState = readonly string[];

export type Read = (variable: string) => string;

export interface Parameter {
  readonly name: string;
  /** Python literals; "r" is the last result. */
  readonly values: readonly string[];
}

interface Api {
  readonly name: string;
  /** Description for a prompt. */
  readonly words: string;
  readonly parameters: readonly Parameter[];
  /** The name of the exception that rejects it, or undefined if the call is possible. */
  refuses(read: Read, ...given: string[]): string | undefined;
  /** The new values of the variables that it writes. */
  effect(read: Read, ...given: string[]): Readonly<Record<string, string>>;
  result?(read: Read, ...given: string[]): string;
}

export interface Domain {
  readonly name: string;
  /** A short phrase for a list, without a full stop. */
  readonly summary: string;
  /** Python expressions with their initial values; one of several is drawn. */
  readonly start: readonly (readonly [variable: string, values: readonly string[]])[];
  /** All possible values of a variable. */
  readonly values: readonly string[];
  readonly apis: readonly Api[];
  /** The same machine as Python source: for prompts, and as a reference in tests. */
  readonly python: string;
}

export interface Call {
  readonly api: Api;
  readonly given: readonly string[];
  /** In Python syntax. */
  readonly text: string;
}

/** The effects of a call: variables read and written, and its result. */
export interface Done {
  readonly state: ApiState;
  readonly read: readonly number[];
  readonly written: readonly number[];
  readonly result: string | undefined;
}

export interface ApiMachine {
  readonly domain: Domain;
  readonly variables: readonly string[];
  /** Every possible call. */
  readonly calls: readonly Call[];
  /** The effects of a call, or the name of the exception that rejects it. */
  make(state: ApiState, call: Pick<Call, "api" | "given">): Done | string;
}

/** The variable of the last result, if the domain has one. */
export const resultName = "r";

export function apiMachine(domain: Domain): ApiMachine {
  const variables = domain.start.map(([variable]) => variable);
  const places = new Map(variables.map((variable, i) => [variable, i]));
  const calls = domain.apis.flatMap((api) =>
    choices(api.parameters.map(({ values }) => values)).map((given) => makeCall(api, given)),
  );
  return {
    ...{ domain, variables, calls },
    make(state, { api, given }) {
      const seen = new Set<number>();
      const read = (variable: string) => {
        const at = places.get(variable)!; // a domain reads existing variables
        seen.add(at);
        return state[at];
      };
      const values = given.map((value) => (value === resultName ? read(resultName) : value));
      const refusal = api.refuses(read, ...values);
      if (refusal !== undefined) return refusal;
      const result = api.result?.(read, ...values);
      const kept = result !== undefined && places.has(resultName) ? { [resultName]: result } : {};
      const changes = { ...api.effect(read, ...values), ...kept };
      const after = [...state];
      const written = Object.entries(changes).map(([variable, value]) => {
        const at = places.get(variable)!; // as above
        after[at] = value;
        return at;
      });
      return { state: after, read: [...seen], written, result };
    },
  };
}

/** The domain without a result variable, for environments that store results elsewhere. */
export const withoutResults = (domain: Domain): Domain => ({
  ...domain,
  start: domain.start.filter(([variable]) => variable !== resultName),
  apis: domain.apis.map((api) => ({
    ...api,
    parameters: api.parameters.map(({ name, values }) => ({
      name,
      values: values.filter((value) => value !== resultName),
    })),
  })),
});

export const makeCall = (api: Api, given: readonly string[]): Call => ({
  ...{ api, given },
  text: `${api.name}(${given.join(", ")})`,
});

function choices(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (before, list) => before.flatMap((chosen) => list.map((value) => [...chosen, value])),
    [[]],
  );
}

/*
 * Shortest call sequence between two states, by breadth-first search; transitions are cached per machine.
 *
 *     user = None  ->  remote['x'] = 3, user = 'ann'        login('ann'), put('x', 3), push('x'), ...
 */

export interface CallGraph {
  /** A shortest path, the first in the order of the machine's calls; undefined if it is longer than `most`. */
  shortest(from: ApiState, to: ApiState, most: number): readonly Call[] | undefined;
}

interface Move {
  readonly call: Call;
  readonly to: string;
}

export function callGraph(machine: ApiMachine): CallGraph {
  const moves = new Map<string, readonly Move[]>();
  const movesFrom = (key: string): readonly Move[] => {
    const known = moves.get(key);
    if (known !== undefined) return known;
    const state: ApiState = JSON.parse(key); // set below
    const found = machine.calls.flatMap((call) => {
      const done = machine.make(state, call);
      return typeof done === "string" ? [] : [{ call, to: JSON.stringify(done.state) }];
    });
    moves.set(key, found);
    return found;
  };
  return {
    shortest(from, to, most) {
      const [start, goal] = [JSON.stringify(from), JSON.stringify(to)];
      const cameBy = new Map<string, { readonly from: string; readonly call: Call } | undefined>([
        [start, undefined],
      ]);
      let reached = [start];
      for (let calls = 0; calls < most && !cameBy.has(goal) && reached.length > 0; calls++) {
        const next: string[] = [];
        for (const key of reached)
          for (const { call, to: into } of movesFrom(key)) {
            if (cameBy.has(into)) continue;
            cameBy.set(into, { from: key, call });
            next.push(into);
          }
        reached = next;
      }
      if (!cameBy.has(goal)) return undefined;
      const way: Call[] = [];
      for (let step = cameBy.get(goal); step !== undefined; step = cameBy.get(step.from)) way.push(step.call);
      return way.reverse();
    },
  };
}
