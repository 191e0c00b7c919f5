import { expect, test } from "vitest";
import { drawExamples } from "./examples.test-helper.ts";
import { goldenSettings } from "./golden.test-helper.ts";
import {
  type Example,
  exampleFrom,
  exampleStream,
  inWords,
  prepareTask,
  taskNamed,
  taskParams,
} from "./index.ts";
import { opaque, plainWords } from "./opaque.ts";

type Settings = Readonly<Record<string, unknown>>;
const settings = goldenSettings("opaque") as Settings[];
const drawn = (params: Settings, count: number) => drawExamples(opaque, params, count, 2);

/** The task inside, prepared by itself. */
const inside = ({ of = "group-words", names: _, opaque: __, ...own }: Settings) =>
  prepareTask(taskNamed(String(of)), own);

/** The session that its first lines name: variables a, b, c, and values as the task itself has drawn them. */
function plainSession({ text, reveals }: Example, like: Example): string {
  const assigned = (session: string) => [...session.matchAll(/^(?:>>> )?(\w+) = (\d+)$/gm)];
  const names = new Map<string, string>();
  for (const [i, [, name, value]] of assigned(text).entries()) {
    const [, plainName, plainValue] = assigned(like.text)[i];
    expect(names.get(name) ?? plainName).toBe(plainName);
    expect(names.get(value) ?? plainValue).toBe(plainValue);
    names.set(name, plainName).set(value, plainValue);
  }
  expect(reveals.map(({ value }) => names.get(value))).toEqual(like.reveals.map(({ value }) => value));
  return text.replaceAll(/v\d+|\d+/g, (name) => names.get(name)!);
}

test.each(settings)(
  "%j with its names undone is the example of the task itself, and so are its references",
  (params) => {
    const { references } = prepareTask(opaque, params);
    const inner = inside(params);
    const plain = Array.from({ length: 40 }, (_, i) => exampleFrom(inner, exampleStream(2, "train")(i)));
    for (const [i, example] of drawn(params, 40).entries()) {
      if (params.of === "repl") expect(plainSession(example, plain[i])).toBe(plain[i].text);
      else expect(plainWords(example)).toEqual(plain[i]);
      expect(Object.keys(references!)).toEqual(Object.keys(inner.references!));
      for (const [name, reference] of Object.entries(references!))
        expect(reference(example)).toEqual(inner.references![name](plain[i]));
    }
  },
);

test("in words it is asked as the task itself, with the list explained, and answered by a name", () => {
  const asked = (params: Settings) =>
    inWords(opaque, taskParams(opaque, params), prepareTask(opaque, params));
  const words = asked({ of: "tomita", language: 4, names: 8 });
  expect(words.instruction).toMatch(/w7=1; says that w7 stands for 1\..*no 000/);
  expect(words.answers).toEqual(["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"]);
  expect(asked({ of: "repl" }).answers).toBe("literal");
});
