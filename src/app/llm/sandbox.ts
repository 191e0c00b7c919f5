/** @file The sandbox for code in answers: a Python host as the `execute` function of the scoring. */

import { LabError } from "../../core/error.ts";
import type { Execute } from "../../eval/execute.ts";
import type { HostName, PythonHost } from "../../python/sandbox/host.ts";

export interface Sandbox {
  readonly execute: Execute;
  /** How many programs it runs at the same time. */
  readonly maxParallel: number;
  /** "CPython 3.11.2 (native)" of the interpreter that answered last; null before any did. */
  python(): string | null;
  close(): Promise<void>;
}

/** auto: native where there is bubblewrap, else embedded. */
export type SandboxHost = "auto" | HostName;

/** CRUXEval's evaluator gives each answer three seconds. */
const wallSeconds = 3;

/** Starts nothing until the first program comes. */
export async function openSandbox(choice: SandboxHost, signal: AbortSignal): Promise<Sandbox> {
  const { availableParallelism } = await import("node:os");
  const maxParallel = availableParallelism();
  let host: Promise<PythonHost> | undefined;
  let python: string | null = null;
  return {
    maxParallel,
    python: () => python,
    async execute(program) {
      host ??= open(choice, maxParallel);
      const outcome = await (await host).run({ operation: "execute", ...program }, { wallSeconds }, signal);
      if (outcome.kind === "sandbox") throw new LabError(`sandbox: ${outcome.words}`, "noSandbox");
      if (outcome.kind !== "done") return { kind: "failed", words: outcome.words };
      const { version, implementation, host: name } = outcome.python;
      python = `${implementation} ${version} (${name})`;
      const { outcome: how, tests, exception, message } = outcome.value as Record<string, string>; // the form of judge.ts
      if (how === "passed" && tests !== undefined) return { kind: "passed" };
      const words = how === "passed" ? ["no test was run"] : [exception, message];
      return { kind: "failed", words: words.filter((part) => part).join(": ") };
    },
    async close() {
      await (await host)?.close();
    },
  };
}

async function open(choice: SandboxHost, maxParallel: number): Promise<PythonHost> {
  const [{ openHost }, { findNative }] = await Promise.all([
    import("../../python/sandbox/open.ts"),
    import("../../python/sandbox/native.ts"),
  ]);
  const name = choice !== "auto" ? choice : findNative().kind === "found" ? "native" : "embedded";
  return openHost(name, { atMost: maxParallel });
}
