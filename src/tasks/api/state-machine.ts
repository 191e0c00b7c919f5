/**
 * @file Machines whose moves are calls of an API: what a call needs, what it changes and what it gives are data of its domain.
 *
 *     login('ann')     user = None            needs that nobody is logged in       user = 'ann'
 *     pull('x')        user = 'ann'           needs a user                         local['x'] = remote['x']
 *     push('x')        user = 'ann'           else a PermissionError: nothing changes
 *
 * Values are Python literals. What a call read is seen, not declared: so each call is a consumer of the calls that last wrote
 * what it read, its producers.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench): APIs as data, pairs of producer and consumer. The three domains are our own.
 */

/** What each variable holds, in the order of the domain's variables. */
export type ApiState = readonly string[];

export type Read = (variable: string) => string;

export interface Parameter {
  readonly name: string;
  /** Python literals; "r" is what the last call gave that gave something. */
  readonly values: readonly string[];
}

export interface Api {
  readonly name: string;
  /** For a prompt: what it does. */
  readonly words: string;
  readonly parameters: readonly Parameter[];
  /** The name of the exception that refuses it, or undefined where it may be called. */
  refuses(read: Read, ...given: string[]): string | undefined;
  /** What variables hold afterwards, of those that it writes. */
  effect(read: Read, ...given: string[]): Readonly<Record<string, string>>;
  result?(read: Read, ...given: string[]): string;
}

export interface Domain {
  readonly name: string;
  /** A few words for a list, without a full stop. */
  readonly summary: string;
  /** Python expressions, with what each holds at first; of several values one is drawn. */
  readonly start: readonly (readonly [variable: string, values: readonly string[]])[];
  /** Everything that a variable can hold. */
  readonly values: readonly string[];
  readonly apis: readonly Api[];
  /** The same machine written by hand in Python: for prompts, and to hold this one against. */
  readonly python: string;
}

export interface Call {
  readonly api: Api;
  readonly given: readonly string[];
  /** As Python writes it. */
  readonly text: string;
}

/** What a call did: the variables it read and wrote, and what it gave. */
export interface Done {
  readonly state: ApiState;
  readonly read: readonly number[];
  readonly written: readonly number[];
  readonly result: string | undefined;
}

export interface ApiMachine {
  readonly domain: Domain;
  readonly variables: readonly string[];
  /** Every call that there is. */
  readonly calls: readonly Call[];
  /** What the call does, or the name of the exception that refuses it. */
  make(state: ApiState, call: Pick<Call, "api" | "given">): Done | string;
}

/** What holds the last result, where a domain has it. */
export const resultName = "r";

export function apiMachine(domain: Domain): ApiMachine {
  const variables = domain.start.map(([variable]) => variable);
  const places = new Map(variables.map((variable, i) => [variable, i]));
  const calls = domain.apis.flatMap((api) =>
    choices(api.parameters.map(({ values }) => values)).map((given) => callOf(api, given)),
  );
  return {
    ...{ domain, variables, calls },
    make(state, { api, given }) {
      const seen = new Set<number>();
      const read = (variable: string) => {
        const at = places.get(variable)!; // a domain reads what it has
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

/** The domain for whoever keeps results elsewhere: its state has none, and no call takes it. */
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

export const callOf = (api: Api, given: readonly string[]): Call => ({
  ...{ api, given },
  text: `${api.name}(${given.join(", ")})`,
});

function choices(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (before, list) => before.flatMap((chosen) => list.map((value) => [...chosen, value])),
    [[]],
  );
}
