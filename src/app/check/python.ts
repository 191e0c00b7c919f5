/** @file Whether CPython, from the text alone, finds the states that a task gives. It runs contained, as every program does. */

import { codeOf, isPython } from "../../tasks/conformance/checks.ts";
import { exampleFrom, exampleStream } from "../../tasks/example.ts";
import type { Prepared } from "../../tasks/task.ts";
import { openSandbox } from "../llm/sandbox.ts";

const check = "CPython agrees";
const examples = 12;

export async function agreesWithPython(prepared: Prepared, signal: AbortSignal): Promise<Finding> {
  if (prepared.posterior !== undefined) return { check, skipped: "chance that nobody sees moves the state" };
  let drawn: ReturnType<typeof exampleFrom>[];
  try {
    drawn = Array.from({ length: examples }, (_, i) => exampleFrom(prepared, exampleStream(1, "train")(i)));
  } catch {
    return { check, skipped: "no example can be drawn" };
  }
  if (!drawn.every(({ text }) => isPython(text, prepared.variables))) {
    return { check, skipped: "the texts are no Python that assigns the variables" };
  }
  const jobs = drawn.flatMap(({ text, states }, example) =>
    states.map(({ end, values }) => ({ example, code: codeOf(text.slice(0, end)), values })),
  );
  const sandbox = await openSandbox({ host: "auto" }, signal);
  try {
    const execution = await sandbox.execute({
      code: programOf(jobs),
      expression: `checked == ${jobs.length}`,
    });
    if (execution.kind === "passed") return { check };
    return { check, problem: execution.words.replace(/^AssertionError: /, "") };
  } finally {
    await sandbox.close();
  }
}

const programOf = (jobs: unknown) => `
import contextlib, io, json
checked = 0
for job in json.loads(${JSON.stringify(JSON.stringify(jobs))}):
    held = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(job["code"], held)
    for name, value in job["values"].items():
        found = str(held.get(name, "nothing"))
        last = job["code"].strip().split("\\n")[-1]
        assert found == value, f"example {job['example']}: after {last!r} {name} is {found}, and the state says {value}"
    checked += 1
`;

export interface Finding {
  readonly check: string;
  /** undefined where nothing is wrong. */
  readonly problem?: string;
  /** Why it was not examined. */
  readonly skipped?: string;
}
