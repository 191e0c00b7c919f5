/**
 * @file The states of a long trace as differences; whole states are computed on demand.
 *
 *     { "names": ["n", "xs"], "set": { "n": "2", "xs": "[0, 1]" } }     {"n": 2, "xs": [0, 1]}
 *     { "set": { "xs": [5, 0, ", 2"] } }                                {"n": 2, "xs": [0, 1, 2]}
 *
 * `set` has the text of each changed variable: the whole text, or [start, number of replaced characters, replacement]. `names` is
 * present if the set of variables changed; every so often a line has all of both. src/python/tracer/lab/changes.py writes it.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { isPythonValue, type PythonValue, type State } from "./python-value.ts";

const count = z.int().min(0);
export const StateChange = {
  names: z.array(z.string()).optional(),
  set: z.record(z.string(), z.union([z.string(), z.tuple([count, count, z.string()])])).optional(),
};

interface Changed {
  readonly names?: readonly string[] | undefined;
  readonly set?: Readonly<Record<string, string | readonly [number, number, string]>> | undefined;
}

interface Variable {
  readonly text: string;
  value?: PythonValue;
}

const corrupt = (expected: string, got: unknown) =>
  fail("a trace's states", expected, got, undefined, "corrupt");

/** The state after any line. Sequential access costs the changes, random access the distance from a whole state. */
export class ChangedStates {
  readonly #lines: readonly Changed[];
  #at = -1;
  #names: readonly string[] = [];
  #variables = new Map<string, Variable>();
  /** Cache of the last states: a comparison of two lines reads each twice. */
  readonly #known = new Map<number, State | null>();

  constructor(lines: readonly Changed[]) {
    this.#lines = lines;
  }

  after(line: number): State | null {
    const known = this.#known.get(line);
    if (known !== undefined) return known;
    if (line < this.#at) {
      this.#at = line;
      while (this.#at > 0 && !isWhole(this.#lines[this.#at])) this.#at--;
      this.#at--;
    }
    while (this.#at < line && this.#apply(this.#lines[this.#at + 1])) this.#at++;
    const state = this.#at === line ? this.#state() : null;
    if (this.#known.size > 1) this.#known.delete(this.#known.keys().next().value!); // not empty
    this.#known.set(line, state);
    return state;
  }

  /** Whether there is a state after the line. */
  #apply({ names, set }: Changed): boolean {
    if (set === undefined) return false;
    if (names !== undefined) this.#names = names;
    for (const [name, change] of Object.entries(set)) {
      this.#variables.set(name, { text: typeof change === "string" ? change : this.#spliced(name, change) });
    }
    return true;
  }

  #spliced(name: string, [start, removed, inserted]: readonly [number, number, string]): string {
    const before = this.#variables.get(name)?.text ?? corrupt("a text to change", name);
    if (start + removed > before.length) corrupt(`at most ${before.length} characters`, [start, removed]);
    return before.slice(0, start) + inserted + before.slice(start + removed);
  }

  #state(): State {
    return Object.fromEntries(
      this.#names.map((name) => {
        const variable = this.#variables.get(name) ?? corrupt("a text", name);
        variable.value ??= read(variable.text);
        return [name, variable.value];
      }),
    );
  }
}

function isWhole({ names, set }: Changed): boolean {
  return names?.every((name) => typeof set?.[name] === "string") ?? false;
}

function read(text: string): PythonValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    corrupt("a value of Python in the lab's form", text.slice(0, 80));
  }
  return isPythonValue(value) ? value : corrupt("a value of Python in the lab's form", text.slice(0, 80));
}

/** Total characters of the whole states. */
export function wholeCharacters(lines: readonly Changed[]): number {
  const lengths = new Map<string, number>();
  let names: readonly string[] = [];
  let all = 0;
  let now = 0;
  for (const line of lines) {
    for (const [name, change] of Object.entries(line.set ?? {})) {
      const before = lengths.get(name) ?? 0;
      const length = typeof change === "string" ? change.length : before - change[1] + change[2].length;
      now += length - before;
      lengths.set(name, length);
    }
    if (line.names !== undefined) {
      names = line.names;
      now = names.reduce((sum, name) => sum + (lengths.get(name) ?? 0), 0);
    }
    all += line.set === undefined ? 0 : now;
  }
  return all;
}
