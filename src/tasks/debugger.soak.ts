import { expect, test } from "vitest";
import { hasPython } from "../python/trace/python.test-helper.ts";
import { compareWithTracer } from "./branches.test-helper.ts";
import { commandNames } from "./debugger/moves.ts";
import { compareWithRecordings } from "./debugger.test-helper.ts";
import { exampleFrom, exampleStream, prepareTask, tasks } from "./index.ts";

const slice = process.env.SOAK_SLICE === "ci";
const [programs, functions] = slice ? [15, 60] : [300, 2000];

test.skipIf(!hasPython)(
  `${programs} programs of the task debugger with all arguments: answers and ceilings are those that recordings come to (skipped without python3)`,
  () => {
    const sizes = { variables: 2, starts: 3 };
    const prepared = prepareTask(tasks.debugger, { ...sizes, questions: 20, branches: 3 });
    let asked = 0;
    for (let first = 0; first < programs; first += 15) {
      const examples = Array.from({ length: 15 }, (_, i) =>
        exampleFrom(prepared, exampleStream(77, "train")(first + i)),
      );
      const { counts, problems } = compareWithRecordings(examples, sizes);
      expect(problems.slice(0, 1)).toEqual([]);
      expect([...counts.keys()].toSorted()).toEqual([...commandNames].toSorted());
      asked += [...counts.values()].reduce((sum, count) => sum + count, 0);
    }
    console.log(`${asked} questions compared`);
    expect(asked).toBe(20 * programs);
  },
);

test.skipIf(!hasPython)(
  `${functions} functions of the task branches: labels are those of the tracer (skipped without python3)`,
  () => {
    const seen = new Set<string>();
    for (let first = 0; first < functions; first += 60) {
      const found = compareWithTracer({ conditions: [1, 6], lines: [1, 5], numbers: 60 }, 60, first);
      expect(found.problems.slice(0, 1)).toEqual([]);
      for (const each of found.seen) seen.add(each);
    }
    const classes = ["zero", "small", "large", "-small", "-large"].map((each) => `${each} int`);
    expect([...seen].toSorted()).toEqual(
      [...classes, "null NoneType", "empty list", "filled list"].toSorted(),
    );
  },
);
