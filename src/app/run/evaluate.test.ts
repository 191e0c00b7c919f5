import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { type EvaluateRequest, evaluateRun } from "./evaluate.ts";
import { executeRun, type RunProgress } from "./execute.ts";
import { readResults } from "./results.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("evaluate");
const folder = join(root, "run");

const config = RunConfig.parse({
  task: { name: "parity", length: [3, 8] },
  model: { name: "gru", layers: 1, width: 8 },
  train: { steps: 4, batch: 4 },
  evaluate: { examples: 10, settings: [{ length: 12 }, { length: 16 }] },
});
const { signal } = new AbortController();
beforeAll(() => trainRun(folder, config, { signal }));

const evaluate = (change: Partial<EvaluateRequest> = {}) => evaluateRun({ folder, signal, ...change });
const lines = () => readResults(folder).map(({ change, wanted }) => `${JSON.stringify(change)} ${wanted}`);
const tested = ['{"length":12} 10', '{"length":16} 10'];

test("the tests of the configuration are asked once; other tests and other numbers of programs are others", async () => {
  const first = await evaluate();
  expect([first.before, lines()]).toEqual([0, tested]);
  const second = await evaluate();
  expect(second.document).toEqual(first.document);
  expect([second.before, lines()]).toEqual([2, tested]);
  await evaluate({ settings: ["length=16"], programs: 5 });
  expect(lines()).toEqual([...tested, '{"length":16} 5']);
});

test("an evaluation has the name that it was given", async () => {
  await evaluate({ name: "mine" });
  const [kept] = readdirSync(join(folder, "evaluations")).filter((file) => file.startsWith("mine@"));
  expect(kept).toMatch(/^mine@\d+\.json$/);
  await evaluate({ name: "mine" });
  await expect(evaluate({ name: "mine", settings: ["length=20"] })).rejects.toThrow(
    /mine@4\.json: expected the same tests, .* Choose another --name/,
  );
});

test("a file of reveals in a folder that is missing is refused, and no folder is made", async () => {
  const reveals = join(root, "missing", "deeper", "reveals.jsonl");
  await expect(evaluate({ reveals })).rejects.toThrow(
    /--save-predictions: expected a file in an existing folder/,
  );
  expect(existsSync(join(root, "missing"))).toBe(false);
});

test("with `again` the same is asked anew, and answered the same", async () => {
  const { document, before } = await evaluate({ again: true });
  expect([before, lines().slice(-2)]).toEqual([0, tested]);
  const [one, other, , ...anew] = readResults(folder);
  expect(anew).toEqual([one, other]);
  expect(document.results.map(({ accuracy }) => accuracy)).toEqual([one.accuracy, other.accuracy]);
});

test("stopped between two tests, the first answer is kept and evaluation.json is left as it was", async () => {
  rmSync(join(folder, "tested.jsonl"));
  writeFileSync(join(folder, "evaluation.json"), "as it was");
  const controller = new AbortController();
  const stopped = evaluate({
    signal: controller.signal,
    onAsk: (_, done) => done === 1 && controller.abort(),
  });
  await expect(stopped).rejects.toThrow(/aborted/);
  expect(lines()).toEqual(tested.slice(0, 1));
  expect(readFileSync(join(folder, "evaluation.json"), "utf8")).toBe("as it was");
  expect((await evaluate()).before).toBe(1);
});

test("a worker of a sweep or an experiment takes what evaluate was answered, and asks the rest", async () => {
  const told: RunProgress[] = [];
  const longer = [{ length: 16 }, { length: 20 }];
  const { answers } = await executeRun(
    { folder, config, overwrite: false },
    (progress) => told.push(progress),
    signal,
    longer,
  );
  expect(answers.map(({ change }) => change)).toEqual(longer);
  expect(lines()).toEqual([...tested, '{"length":20} 10']);
  expect(told.filter(({ kind }) => kind === "step")).toEqual([]); // it was trained
});
