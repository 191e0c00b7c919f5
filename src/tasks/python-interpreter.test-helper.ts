/**
 * @file A small interpreter of the Python statements that tasks write, made for tests: it works from the text alone
 * and shares no code with the generator.
 *
 *     a = 1        a, b = b, a        print('a', a)
 *
 * A right-hand side is evaluated whole before anything is assigned, as Python does.
 */

export interface Run {
  /** What Python would print, line by line. */
  readonly printed: string[];
  /** The variables after each assignment, with the text offset after that line. */
  readonly states: { end: number; values: Record<string, string> }[];
  /** The lines of output that stand in the text, in order. */
  readonly shown: string[];
}

export { sessionCode } from "./conformance/checks.ts";

const NAME = /^[a-z]$/;

/** Runs a session; a line directly after a print is the output it shows. Throws on anything it does not know. */
export function interpret(text: string): Run {
  const values: Record<string, string> = {};
  const run: Run = { printed: [], states: [], shown: [] };
  let offset = 0;
  let outputExpected = false;
  for (const line of text.split(/(?<=\n)/)) {
    offset += line.length;
    if (!line.endsWith("\n")) throw new Error(`unfinished line ${line}`);
    const code = line.slice(0, -1).replace(/^>>> /, "");
    if (outputExpected) {
      run.shown.push(line.slice(0, -1));
      outputExpected = false;
    } else if (/^print\(.*\)$/.test(code)) {
      const parts = code.slice(6, -1).split(", ");
      run.printed.push(parts.map((part) => evaluate(part, values)).join(" "));
      outputExpected = true;
    } else {
      const [left, right, ...rest] = code.split(" = ");
      if (right === undefined || rest.length > 0) throw new Error(`not an assignment: ${code}`);
      const results = right.split(", ").map((part) => evaluate(part, values));
      const targets = left.split(", ");
      if (targets.length !== results.length) throw new Error(`cannot unpack: ${code}`);
      for (const [i, target] of targets.entries()) {
        if (!NAME.test(target)) throw new Error(`not a name: ${target}`);
        values[target] = results[i];
      }
      run.states.push({ end: offset, values: { ...values } });
    }
  }
  if (outputExpected) throw new Error("a print without its output");
  return run;
}

function evaluate(expression: string, values: Record<string, string>): string {
  if (/^\d+$/.test(expression)) return expression;
  const quoted = /^'([^']*)'$/.exec(expression);
  if (quoted !== null) return quoted[1];
  if (NAME.test(expression) && expression in values) return values[expression];
  throw new Error(`cannot evaluate ${expression}`);
}
