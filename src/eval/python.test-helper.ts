/** @file Runs programs of known origin by the python3 on PATH, all in one process, each for a tenth of a second of the processor at most. */

import { spawnSync } from "node:child_process";
import type { Execute, Execution, Program } from "./execute.ts";
import type { Judgement, Question } from "./question.ts";

const driver = `
import ast, io, json, signal, sys
def same(a, b):
    if type(a) is not type(b):
        return False
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is dict:
        return len(a) == len(b) and all(any(same(k, l) and same(a[k], b[l]) for l in b) for k in a)
    if type(a) in (set, frozenset):
        return len(a) == len(b) and all(any(same(x, y) for y in b) for x in a)
    return a == b
def holds(expression, typed, names):
    if not typed: return eval(expression, names)
    equality = ast.parse(expression, mode="eval").body
    return same(*[eval(compile(ast.Expression(side), "", "eval"), names) for side in (equality.left, *equality.comparators)])
class Late(BaseException): pass
def late(*_): raise Late()
signal.signal(signal.SIGVTALRM, late)
real = sys.stdout
for line in sys.stdin:
    request = json.loads(line)
    sys.stdout = io.StringIO()
    names = {"__name__": "__main__"}
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
        exec(compile(request["code"], "<program>", "exec"), names)
        if "expression" in request: assert holds(request["expression"], request.get("typed"), names)
        words = None
    except BaseException as error:
        words = type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    print(json.dumps(words), file=real, flush=True)
`;

export const hasPython = spawnSync("python3", ["-I", "-c", "import signal; signal.SIGVTALRM"]).status === 0;

export function executeAll(programs: readonly Program[]): Execution[] {
  const input = programs.map((program) => `${JSON.stringify(program)}\n`).join("");
  const run = spawnSync("python3", ["-I", "-W", "ignore", "-c", driver], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    timeout: 90_000,
  });
  const lines = run.stdout.trim() === "" ? [] : run.stdout.trim().split("\n");
  if (lines.length !== programs.length)
    throw new Error(`python3 ran ${lines.length} of ${programs.length}: ${run.stderr}`);
  return lines.map((line) => {
    const words: string | null = JSON.parse(line);
    return words === null ? { kind: "passed" } : { kind: "failed", words };
  });
}

/** The judgements of replies; every program that is asked for is run in one process. */
export async function judgedAll(replies: readonly (readonly [Question, string])[]): Promise<Judgement[]> {
  const asked: Program[] = [];
  const note: Execute = async (program) => {
    asked.push(program);
    return { kind: "failed", words: "" };
  };
  for (const [question, reply] of replies) await question.judge([reply], note);
  const outcomes = executeAll(asked);
  let next = 0;
  const known: Execute = async () => outcomes[next++];
  const judged: Judgement[] = [];
  for (const [question, reply] of replies) judged.push(await question.judge([reply], known));
  return judged;
}
