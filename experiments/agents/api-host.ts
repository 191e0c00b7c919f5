/**
 * @file Traces of API calls on a contained Python host: the definitions that prompts show, written by hand, against the machine.
 *
 *     definitions, start, then for each call: the call; print([user, ...])              every state, as Python says it
 *     and one call that the machine refuses there: the name of what CPython raises, and that nothing has changed
 */

import type { Rng } from "../../src/math/rng.ts";
import type { PythonSession } from "../../src/python/session.ts";
import type { ApiMachine, ApiState, Call } from "../../src/tasks/api/machine.ts";
import type { DrawnTrace } from "../../src/tasks/api/sample.ts";
import { callsText } from "../../src/tasks/api.ts";

export interface Compared {
  /** After the start and after each call. */
  readonly states: number;
  readonly refusals: number;
  /** Lines that are not what the machine says. */
  readonly different: number;
}

/** @throws Error where the program does not run to its end. */
export async function compareTrace(
  session: PythonSession,
  machine: ApiMachine,
  { start, made }: DrawnTrace,
  rng: Rng,
): Promise<Compared> {
  const { variables, domain } = machine;
  const show = `print([${variables.join(", ")}])`;
  const expected: string[] = [];
  const lines = [domain.python, ...start.map((value, i) => `${variables[i]} = ${value}`)];
  let refusals = 0;
  const stand = (state: ApiState) => {
    lines.push(show);
    expected.push(`[${state.join(", ")}]`);
    const refusal = refusedCall(machine, state, rng);
    if (refusal === undefined) return;
    refusals++;
    lines.push(
      "try:",
      `    ${refusal.call.text}`,
      "except Exception as error:",
      "    print(type(error).__name__)",
    );
    lines.push(show);
    expected.push(refusal.error, `[${state.join(", ")}]`);
  };
  stand(start);
  for (const call of made) {
    lines.push(callsText([call]).trimEnd());
    stand(call.done.state);
  }
  const outcome = await session.run({ code: lines.join("\n"), tools: [] }, () => ({ value: null }));
  if (outcome.kind !== "cell" || !("end" in outcome) || outcome.end.end !== "finished")
    throw new Error(`a trace of ${domain.name} did not run: ${JSON.stringify(outcome)}`);
  const printed = outcome.end.output.trimEnd().split("\n");
  const longer = Math.max(printed.length, expected.length);
  const different = Array.from({ length: longer }, (_, i) => printed[i] !== expected[i]).filter(Boolean);
  return { states: made.length + 1, refusals, different: different.length };
}

/** A call that is not possible here, if there is one. */
function refusedCall(
  machine: ApiMachine,
  state: ApiState,
  rng: Rng,
): { readonly call: Call; readonly error: string } | undefined {
  const refused = machine.calls.flatMap((call) => {
    const done = machine.make(state, call);
    return typeof done === "string" ? [{ call, error: done }] : [];
  });
  return refused.length === 0 ? undefined : refused[rng.below(refused.length)];
}
