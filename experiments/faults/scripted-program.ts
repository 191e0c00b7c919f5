/**
 * @file Small programs with an interpreter of their own: what a scripted policy carries out, from any state, right or wrong.
 *
 *     def f():                    line 1
 *         a = 3                   2      assign
 *         b = 5                   3
 *         for i in range(3):      4      loop
 *             a = a + b           5
 *         a, b = b, a             6      swap
 *         return a                7
 *
 * Python's own run of the text is the truth that a diagnosis is held against; this one shares nothing with it.
 */

import type { Rng } from "../../src/math/rng.ts";

export type State = Readonly<Record<string, number>>;

export type Statement =
  | { readonly kind: "assign"; readonly to: string; readonly value: number }
  | {
      readonly kind: "combine";
      readonly to: string;
      readonly left: string;
      readonly sign: "+" | "-";
      readonly right: string | number;
    }
  | { readonly kind: "swap"; readonly one: string; readonly other: string }
  | { readonly kind: "loop"; readonly times: number; readonly body: readonly Statement[] };

export interface Program {
  readonly source: string;
  readonly visits: readonly Visit[];
}

/** One run of a line, in the order in which a run comes to them: no branch depends on a state. */
export interface Visit {
  readonly line: number;
  readonly time: number;
  readonly text: string;
  readonly writes: readonly string[];
  /** `mistaken`: with the sign of a subtraction read as the other one. */
  apply(state: State, mistaken?: boolean): State;
}

const names = ["a", "b", "c"];

export function drawProgram(rng: Rng): Program {
  const start: Statement[] = names.map((to, i) => ({
    ...{ kind: "assign", to, value: 2 + rng.fork(to).below(40) + 50 * i },
  }));
  const body = Array.from({ length: 2 + rng.fork("length").below(3) }, (_, i) =>
    drawStatement(rng.fork(i), true),
  );
  return written([...start, ...body]);
}

function drawStatement(rng: Rng, mayLoop: boolean): Statement {
  const [one, other] = [names[rng.below(3)], names[rng.below(3)]];
  if (mayLoop && rng.next() < 0.5)
    return {
      kind: "loop",
      times: 2 + rng.below(3),
      body: Array.from({ length: 1 + rng.below(2) }, (_, i) => drawStatement(rng.fork(i), false)),
    };
  if (rng.next() < 0.3 && one !== other) return { kind: "swap", one, other };
  const right = rng.next() < 0.6 ? other : 1 + rng.below(9);
  return {
    kind: "combine",
    to: one,
    left: one,
    sign: rng.next() < 0.6 ? "+" : "-",
    right: right === one ? 7 : right,
  };
}

function written(statements: readonly Statement[]): Program {
  const lines = ["def f():"];
  const visits: Visit[] = [];
  const times = new Map<number, number>();
  const visit = (line: number, statement: Statement, value?: number) => {
    const time = (times.get(line) ?? 0) + 1;
    times.set(line, time);
    const writes = writesOf(statement);
    visits.push({
      ...{ line, time, text: lines[line - 1].trim(), writes },
      apply: (state, mistaken = false) => applied(statement, state, mistaken, value),
    });
  };
  const place = (statement: Statement, indent: string): ((round: number) => void) => {
    lines.push(`${indent}${textOf(statement)}`);
    const line = lines.length;
    if (statement.kind !== "loop") return () => visit(line, statement);
    const inner = statement.body.map((each) => place(each, `${indent}    `));
    return () => {
      for (let round = 0; round < statement.times; round++) {
        visit(line, statement, round);
        for (const each of inner) each(round);
      }
      visit(line, statement); // where the loop ends
    };
  };
  const all = statements.map((statement) => place(statement, "    "));
  lines.push("    return a");
  for (const each of all) each(0);
  return { source: `${lines.join("\n")}\n`, visits };
}

function textOf(statement: Statement): string {
  switch (statement.kind) {
    case "assign":
      return `${statement.to} = ${statement.value}`;
    case "combine":
      return `${statement.to} = ${statement.left} ${statement.sign} ${statement.right}`;
    case "swap":
      return `${statement.one}, ${statement.other} = ${statement.other}, ${statement.one}`;
    case "loop":
      return `for i in range(${statement.times}):`;
    default:
      return statement satisfies never;
  }
}

function writesOf(statement: Statement): string[] {
  switch (statement.kind) {
    case "assign":
    case "combine":
      return [statement.to];
    case "swap":
      return [statement.one, statement.other];
    case "loop":
      return ["i"];
    default:
      return statement satisfies never;
  }
}

function applied(statement: Statement, state: State, mistaken: boolean, round?: number): State {
  switch (statement.kind) {
    case "assign":
      return { ...state, [statement.to]: statement.value };
    case "combine": {
      const { to, left, sign, right } = statement;
      const second = typeof right === "number" ? right : state[right];
      return { ...state, [to]: sign === "+" || mistaken ? state[left] + second : state[left] - second };
    }
    case "swap":
      return { ...state, [statement.one]: state[statement.other], [statement.other]: state[statement.one] };
    case "loop":
      return round === undefined ? state : { ...state, i: round };
    default:
      return statement satisfies never;
  }
}
