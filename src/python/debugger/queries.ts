/** @file The value of an expression at a moment, as the selected call sees it. */

import { type Expression, parseExpression, type Scope } from "../values/expression.ts";
import { truth, typeName } from "../values/operators.ts";
import { pythonLiteral } from "../values/repr.ts";
import { EvaluationError, toPythonValue, type Value, valueReader } from "../values/value.ts";
import type { Frame, Recording } from "./recording.ts";
import type { ConditionFailure, Shown } from "./session.ts";
import { currentEvent, type Session, selectedFrame } from "./session.ts";

export const isName = (text: string): boolean => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text);

/** `xs[0].n` begins with `xs`. */
export const fields = (path: string): string[] => path.split(/[.[]/);

const parsed = new Map<string, Expression>();
const MOST_PARSED = 200;

function expressionOf(text: string): Expression {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (text.trim() === "") throw new EvaluationError("SyntaxError", "an expression is expected, got nothing");
  const made = parseExpression(text);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(text, made);
  return made;
}

/** The names that a call sees: its own, then the module's. */
function scopeAt(run: Recording, moment: number, { activation }: Frame): Scope {
  const state = run.stateAt(moment);
  if (state === null)
    throw new EvaluationError("NotRecorded", "the state lies behind the bound on all states");
  const read = valueReader(state);
  const known = new Map<string, Value>();
  return (name) => {
    const key = run.keyOf(moment, activation, name);
    if (key === undefined) return undefined;
    const value = known.get(key) ?? read(state[key]);
    known.set(key, value);
    return value;
  };
}

/** Why the text is no expression. */
export function expressionProblem(text: string): string | undefined {
  try {
    expressionOf(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return `${error.type}: ${error.message}`;
  }
}

/** @throws EvaluationError */
export function evaluate(session: Session, text: string) {
  const expression = expressionOf(text);
  const [run, moment, frame] = [session.run, currentEvent(session), selectedFrame(session)];
  const value = expression(scopeAt(run, moment, frame));
  const key = isName(text) ? run.keyOf(moment, frame.activation, text) : undefined;
  // a name is shown as recorded, even if expressions cannot compute with its value
  const recorded = key === undefined ? undefined : run.valueOf(moment, key);
  if (key !== undefined && recorded !== undefined)
    return { text: run.literals(moment)[key], type: typeName(value), value: recorded };
  const computed = toPythonValue(value);
  return { text: pythonLiteral(computed), type: typeName(value), value: computed };
}

/**
 * Conditions over the moments of one command. A condition that cannot be evaluated at a moment is false there and
 * listed in `failures`.
 */
export class Conditions {
  readonly #run: Recording;
  readonly #failed = new Map<string, ConditionFailure>();
  readonly #computed = new Set<string>();

  constructor(run: Recording) {
    this.#run = run;
  }

  readonly holds = (condition: string, moment: number): boolean => {
    const run = this.#run;
    try {
      const value = truth(expressionOf(condition)(scopeAt(run, moment, run.stackAt(moment))));
      this.#computed.add(condition);
      return value;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      const { moments, ...first } = this.#failed.get(condition) ?? {
        ...{ condition, moments: 0, moment, line: run.events[moment].line },
        reason: `${error.type}: ${error.message}`,
      };
      this.#failed.set(condition, { ...first, moments: moments + 1 });
      return false;
    }
  };

  get failures(): ConditionFailure[] {
    return [...this.#failed.values()];
  }

  /** The failure of a condition that was computed at no moment. */
  failureOf(condition: string): ConditionFailure | undefined {
    return this.#computed.has(condition) ? undefined : this.#failed.get(condition);
  }
}

/** Expressions that cannot be evaluated are shown with the reason, as in pdb. */
export function shownDisplays(session: Session): Shown[] {
  return session.displays.map((expression) => ({ expression, value: valueOrReason(session, expression) }));
}

export function valueOrReason(session: Session, expression: string): string {
  try {
    return evaluate(session, expression).text;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return `** raised ${error.type}: ${error.message} **`;
  }
}
