/**
 * @file Interface of a Python host: runs one request in a sandboxed interpreter and returns the outcome.
 *
 *     const host = await openHost("embedded");
 *     await host.run({ operation: "execute", code: "assert 1 + 1 == 2" });
 *     // { kind: "done", value: { outcome: "passed", tests: { judged: 1, said: 0 } }, output: "", python: { version: "3.14.2", ... } }
 *     await host.run({ operation: "execute", code: "while True: pass" }, { wallSeconds: 1 });
 *     // { kind: "time", words: "the program ran for longer than 1 s" }
 *
 * A request names an operation, a module of `lab/` with `handle(request)`. For `execute`, the asserts at the end of
 * `code` and `expression` are judged outside of the program's process (verdict.ts).
 */

import { fail } from "../../core/error.ts";
import type { CellEnd, ToolAnswer, ToolCall } from "../../schemas/agents.ts";

export interface PythonRequest {
  readonly operation: string;
  readonly [argument: string]: unknown;
}

/** The longest that a timer of Node waits: 24 days. A longer one would end at once. */
export const longestSeconds = Math.floor((2 ** 31 - 1) / 1000);

/** Limits of a request. Each has its kind of outcome. */
export interface Limits {
  /** From the time a ready interpreter gets the request; at most `longestSeconds`. */
  readonly wallSeconds: number;
  /** All memory of the interpreter, itself included (about 30 MB). Python meets the limit as a MemoryError. */
  readonly memoryBytes: number;
  /** Output to stdout and stderr together. */
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

/** Later limits override earlier ones. @throws LabError if a limit is not a number above 0. */
export function resolveLimits(...given: readonly (Partial<Limits> | undefined)[]): Limits {
  const limits: Limits = Object.assign({}, defaultLimits, ...given);
  for (const [name, value] of Object.entries(limits))
    if (!(typeof value === "number" && value > 0)) fail(`limits.${name}`, "a number above 0", value);
  return { ...limits, wallSeconds: Math.min(limits.wallSeconds, longestSeconds) };
}

/** The Python version. Recorded states depend on it only through these fields. */
export interface PythonVersion {
  readonly version: string;
  readonly wordBits: 32 | 64;
  readonly implementation: string;
  readonly host: HostName;
}

/** Outcomes of programs without an answer. */
export const stops = ["time", "memory", "output", "result-size", "crashed", "forged", "exited"] as const;
export type Stop = (typeof stops)[number];

export type Outcome =
  | {
      readonly kind: "done";
      readonly value: unknown;
      /** Output to stdout. */
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
  /** Describes the sandbox: "Pyodide in Node's permission model, inside bubblewrap". */
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
 * The text sent to an interpreter, and whether the request is judged, so that expected values are split off first.
 * @throws LabError if it is too long.
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
  return { text: asciiJson(judged ? { ...request, operation: "split" } : request), judged };
}

/** JSON in ASCII, which Python reads in the time that its length takes. */
export const asciiJson = (value: unknown): string => JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, escaped);

function hasTests({ code, expression }: PythonRequest): boolean {
  return typeof expression === "string" || (typeof code === "string" && /\bassert\b/.test(code));
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

export interface Cell {
  readonly code: string;
  /** Names and parameters of the tools that the cell may call. */
  readonly tools: readonly (readonly [name: string, parameters: readonly string[]])[];
  /** Characters of output that are kept; the rest is counted. */
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
