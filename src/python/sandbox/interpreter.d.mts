/** @file The types of interpreter.mjs, for the worker of the page. */

export interface InterpreterHost {
  stop(kind: string, words: string): never;
  /** What a program is judged by, as JSON. */
  plan(withheld: string): void;
  /** Calls what runs Python; it ends it after so long where it can. */
  call(serve: () => number, milliseconds: number): number;
  /** Called when nothing more is to be loaded. */
  close(): void;
  readonly umask?: (mask?: number) => number;
  readonly keepMemory?: (before: Uint8Array) => (memory: Uint8Array) => void;
}

export interface InterpreterRequest {
  readonly text: string;
  readonly judged: boolean;
  readonly pinned: boolean;
  readonly wallSeconds: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly resultBytes: number;
}

export interface Interpreter {
  load<Loaded>(
    loadPyodide: (options: never) => Promise<Loaded>,
    createModule: unknown,
    options: object,
  ): Promise<Loaded>;
  runPython(code: string): number;
  start(pyodide: unknown, text: string): void;
  answer(request: InterpreterRequest): { readonly text: string; readonly isLast: boolean };
}

export function interpreter(host: InterpreterHost): Interpreter;
/** Gives a status: 0 where all went well. */
export function prepare(
  runPython: (code: string) => number,
  lab: {
    readonly importer: string;
    readonly modules: Readonly<Record<string, string>>;
    readonly preload: string;
  },
): number;
