import fc from "fast-check";
import { expect, test } from "vitest";
import { combine, parseAxis } from "./grid.ts";

const names = (...axes: string[]) => combine(axes.map(parseAxis)).map(({ name }) => name);

test.each<[text: string, key: string, values: unknown[]]>([
  ["model.betaMax=1,2", "model.betaMax", [1, 2]],
  ["train.loss=revealed-values, next-token", "train.loss", ["revealed-values", "next-token"]],
  ["task.length=[3, 40],[8]", "task.length", [[3, 40], [8]]],
  ["model={name: lstm},{name: gru, width: 8}", "model", [{ name: "lstm" }, { name: "gru", width: 8 }]],
  ["x=1", "x", [1]],
  ["x=true,null,'1'", "x", [true, null, "1"]],
])("%s gives the values that --set would give one by one", (text, key, values) => {
  expect(parseAxis(text)).toEqual({ key, values });
});

test.each([
  ["betaMax", "--grid betaMax: expected KEY=V1,V2, such as model.betaMax=1,2"],
  ["=1,2", "expected KEY=V1,V2"],
  ["model.=1", "expected KEY=V1,V2"],
  ["x=", '--grid x=: expected at least one value after =, got ""'],
  ["x=1,", "expected a value after each comma"],
  ["x=1,,2", "expected YAML"],
  ["x=1],[2", "expected YAML"],
  ["x=1,2,1", 'expected different values, got "1 twice"'],
  ["seed=1,2", "expected a setting other than the seed"],
])("%s is refused in one sentence", (text, sentence) => {
  expect(() => parseAxis(text)).toThrow(
    expect.objectContaining({ kind: "usage", message: expect.stringContaining(sentence) }),
  );
});

test("every combination occurs once, the last key changing fastest, under a name that says it", () => {
  expect(combine([parseAxis("model.betaMax=1,2"), parseAxis("train.learningRate=0.001,1e-7")])).toEqual([
    { name: "betaMax=1,learningRate=0.001", changes: { "model.betaMax": 1, "train.learningRate": 0.001 } },
    { name: "betaMax=1,learningRate=1e-7", changes: { "model.betaMax": 1, "train.learningRate": 1e-7 } },
    { name: "betaMax=2,learningRate=0.001", changes: { "model.betaMax": 2, "train.learningRate": 0.001 } },
    { name: "betaMax=2,learningRate=1e-7", changes: { "model.betaMax": 2, "train.learningRate": 1e-7 } },
  ]);
  expect(combine([])).toEqual([{ name: "", changes: {} }]);
});

test("keys that end alike are told apart, values of all kinds can be read in the name", () => {
  expect(names("model.width=8", "task.width=-1")).toEqual(["model.width=8,task.width=-1"]);
  expect(names("model={name: lstm, widths: [1, -2]},./my-model.ts")).toEqual([
    "model=name-lstm-widths-1-neg2",
    "model=my-model.ts",
  ]);
});

test("a value added later leaves the names of the others as they were", () => {
  expect(names("a.b=1,2,3", "c=x,y")).toEqual(expect.arrayContaining(names("a.b=1,2", "c=x")));
});

test("what cannot be told apart by name, and a key given twice, are refused", () => {
  expect(() => names("x='a b','a-b'")).toThrow(/values that give different folder names, got "x=a-b"/);
  expect(() => names("x=A,a")).toThrow(/different folder names/);
  expect(() => names("x=1,2", "x=3")).toThrow(/--grid: expected each key once, got "x"/);
});

test("any names are safe for a shell and a file system, at most 120 long, and different or refused", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 6, selector: JSON.stringify }),
      (values) => {
        let settings: ReturnType<typeof combine>;
        try {
          settings = combine([{ key: "model.x", values }]);
        } catch (error) {
          expect(String(error)).toContain("different folder names");
          return;
        }
        const found = settings.map(({ name }) => name);
        expect(new Set(found).size).toBe(values.length);
        for (const name of found) expect(name).toMatch(/^x=[\w.+-]{0,118}$/);
      },
    ),
    { seed: 8 },
  );
});
