import { expect, test } from "vitest";
import { goldenSettings } from "./golden.test-helper.ts";
import { exampleFrom, exampleStream, inWords, prepareTask, taskNamed, taskParams } from "./index.ts";
import { stutter, withoutPauses } from "./stutter.ts";
import { wrappable } from "./wrapped.ts";

const settings = goldenSettings("stutter") as Readonly<Record<string, unknown>>[];
const pausesIn = (text: string, pause: string) => text.split(pause).length - 1;

/** The task inside, prepared by itself, and what a pause is. */
function inside({ of = "group-words", pauses: _, ...own }: Readonly<Record<string, unknown>>) {
  const pause = of !== "repl" ? "-" : own.promptStyle === "script" ? "pass\n" : ">>> pass\n";
  return { prepared: prepareTask(taskNamed(String(of)), own), pause };
}

test.each(["stutter", "opaque"])("every task that %s can wrap is wrapped", (name) => {
  const used = (goldenSettings(name) as typeof settings).map(({ of = "group-words" }) => of);
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(wrappable).toSorted());
});

test.each(settings)(
  "%j without its pauses is the example of the task itself, and so are its references",
  (params) => {
    const prepared = prepareTask(stutter, params);
    const { prepared: inner, pause } = inside(params);
    const numbers = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const stream = exampleStream(2, "train");
      const [example, plain] = [prepared, inner].map((each) => exampleFrom(each, stream(i)));
      expect(withoutPauses(example, pause)).toEqual(plain);
      expect(Object.keys(prepared.references!)).toEqual(Object.keys(inner.references!));
      for (const [name, reference] of Object.entries(prepared.references!))
        expect(reference(example)).toEqual(inner.references![name](plain));
      // The same number after each command, and before the question about it.
      const behind = example.states.map(
        ({ end }) => /^(?:(?:>>> )?pass\n)+|^-*/.exec(example.text.slice(end))![0],
      );
      const counts = behind.map((each) => pausesIn(each, pause));
      expect(counts[0]).toBe(0);
      expect(new Set(counts.slice(1)).size).toBe(1);
      expect(pausesIn(example.text, pause)).toBe(counts.reduce((sum, each) => sum + each, 0));
      for (const { start, commands } of example.reveals)
        expect(pausesIn(example.text.slice(0, start), pause)).toBe(commands * counts[1]);
      numbers.add(counts[1]);
    }
    expect([...numbers].toSorted()).toEqual([params.pauses ?? [0, 1, 2]].flat());
  },
);

test("in words it is asked as the task itself, with the pauses explained", () => {
  const params = taskParams(stutter, { of: "tomita", language: 4 });
  const asked = inWords(stutter, params, prepareTask(stutter, params));
  expect(asked.instruction).toMatch(/^A pause, -, changes nothing\. Below are strings of 0 and 1\. .*no 000/);
  expect(asked.answers).toEqual(["0", "1"]);
});
