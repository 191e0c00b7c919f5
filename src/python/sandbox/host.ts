/**
 * @file What a Python host is: it runs one request in a contained interpreter and says how that ended.
 *
 *     const host = await openHost("embedded");
 *     await host.run({ operation: "execute", code: "assert 1 + 1 == 2" });
 *     // { kind: "done", value: { outcome: "passed", tests: { judged: 1, said: 0 } }, output: "", python: { version: "3.14.2", ... } }
 *     await host.run({ operation: "execute", code: "while True: pass" }, { wallSeconds: 1 });
 *     // { kind: "time", words: "the program ran for longer than 1 s" }
 *
 * A request names an operation, which is a module of `lab/`: its `handle(request)` answers it. Of `execute` the asserts
 * at the end of `code`, and `expression`, are judged outside of the program's process (judge.ts).
 */

import { fail } from "../../core/error.ts";
import type { CellEnd, ToolAnswer, ToolCall } from "../../schemas/agents.ts";

export interface PythonRequest {
  readonly operation: string;
  readonly [argument: string]: unknown;
}

/** The longest that a timer of Node waits: 24 days. A longer one would end at once. */
export const longestSeconds = Math.floor((2 ** 31 - 1) / 1000);

/** What a request may use. Each limit that is hit is an outcome of its own. */
export interface Limits {
  /** From the moment a ready interpreter is given the request; at most `longestSeconds`. */
  readonly wallSeconds: number;
  /** All memory of the interpreter, itself included (about 30 MB). Python meets the limit as a MemoryError. */
  readonly memoryBytes: number;
  /** What is written to stdout and stderr together. */
  readonly outputBytes: number;
  /** The answer as JSON text. */
  readonly resultBytes: number;
}

export const defaultLimits: Limits = {
  wallSeconds: 10,
  memoryBytes: 512 * 2 ** 20,
  outputBytes: 2 ** 20,
  resultBytes: 64 * 2 ** 20,
};

/** Those given last count. @throws LabError where one is no number above 0. */
export function limitsOf(...given: readonly (Partial<Limits> | undefined)[]): Limits {
  const limits: Limits = Object.assign({}, defaultLimits, ...given);
  for (const [name, value] of Object.entries(limits))
    if (!(typeof value === "number" && value > 0)) fail(`limits.${name}`, "a number above 0", value);
  return { ...limits, wallSeconds: Math.min(limits.wallSeconds, longestSeconds) };
}

/** Which Python answered. States differ between them in what is said here and in nothing else. */
export interface PythonVersion {
  readonly version: string;
  readonly wordBits: 32 | 64;
  readonly implementation: string;
  readonly host: HostName;
}

/** How a program can end that has no answer. */
export const stops = ["time", "memory", "output", "result-size", "crashed", "forged", "exited"] as const;
export type Stop = (typeof stops)[number];

export type Outcome =
  | {
      readonly kind: "done";
      readonly value: unknown;
      /** What the program wrote to stdout. */
      readonly output: string;
      readonly python: PythonVersion;
    }
  | { readonly kind: Stop; readonly words: string }
  /** The sandbox could not be made: never the program's fault. */
  | { readonly kind: "sandbox"; readonly words: string };

export const hostNames = ["embedded", "native"] as const;
export type HostName = (typeof hostNames)[number];

export interface PythonHost {
  readonly name: HostName;
  /** What contains a program here, for people: "Pyodide in Node's permission model, inside bubblewrap". */
  readonly containment: string;
  /** Runs one request in a contained interpreter that no program has touched. Rejects only when `signal` aborts, with its reason. */
  run(request: PythonRequest, limits?: Partial<Limits>, signal?: AbortSignal): Promise<Outcome>;
  /** Leases an interpreter that no program has touched, for cells that share their names; the caller closes it. One of the places of `run` is taken meanwhile. */
  session(limits?: Partial<Limits>, signal?: AbortSignal): Promise<PythonSession>;
  /** Resolves when the next program would begin at once. */
  ready(): Promise<void>;
  /** Ends every interpreter. Requests under way end as "crashed", later ones as "sandbox". */
  close(): Promise<void>;
}

const requestCharacters = 2 ** 26;

/**
 * What is sent to an interpreter; whether it is judged: then what is expected is parted off first.
 * @throws LabError where it is too long to be sent.
 */
export function requestText(request: PythonRequest): { readonly text: string; readonly judged: boolean } {
  const length = Object.values(request).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );
  // Before it is put together: a text of a gigabyte cannot even be quoted.
  if (length > requestCharacters) {
    fail("python", `a program of at most ${requestCharacters} characters`, `${length} characters`);
  }
  const judged = request.operation === "execute" && hasTests(request);
  // ASCII, which is read in the time that its length takes
  const text = JSON.stringify(judged ? { ...request, operation: "split" } : request);
  return { text: text.replaceAll(/[^\0-\x7f]/g, escaped), judged };
}

function hasTests({ code, expression }: PythonRequest): boolean {
  return typeof expression === "string" || (typeof code === "string" && /\bassert\b/.test(code));
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

export interface Cell {
  readonly code: string;
  /** Names and parameters of functions that are there besides what the session holds. */
  readonly tools: readonly (readonly [name: string, parameters: readonly string[]])[];
  /** Of what is printed, so much is kept; the rest is counted. */
  readonly outputCharacters?: number;
}

export type CellOutcome =
  | { readonly kind: "cell"; readonly end: CellEnd }
  /** A limit was passed or the interpreter died: the session is over. */
  | { readonly kind: Stop; readonly words: string }
  | { readonly kind: "sandbox"; readonly words: string };

export type Act = (call: ToolCall) => ToolAnswer;

export interface PythonSession {
  /** Runs a cell; one at a time. Rejects only when `signal` aborts, with its reason; the session is over then. */
  run(cell: Cell, act: Act, limits?: Partial<Limits>, signal?: AbortSignal): Promise<CellOutcome>;
  /** Whether another cell can run. */
  readonly alive: boolean;
  /** Ends the interpreter, or gives it back in the state in which it was loaded. */
  close(): Promise<void>;
}
