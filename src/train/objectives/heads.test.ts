import { expect, test } from "vitest";
import { RunConfig } from "../../schemas/run-config.ts";
import { setUpOf } from "../fixture.test-helper.ts";
import { gradientName } from "../graph.ts";
import { computed, folder, setupOf } from "./setup.test-helper.ts";
import { STATE_HEAD } from "./state/supervision.ts";

test.each([
  ["linear", "parity-program", { length: 4 }, Math.log(2)],
  ["linear", "list-permutation", { size: 4, length: 3 }, Math.log(4)],
  // Its words, and the end.
  ["decoder", "parity-program", { length: 4 }, Math.log(7)],
] as const)(
  "with zeros for its last weights the %s head on %s guesses uniformly",
  async (head, task, params, wanted) => {
    const given = setupOf(head, { task, params, form: {} });
    const last = [`${STATE_HEAD}.weight`, `${STATE_HEAD}.bias`, `${STATE_HEAD}.decoder.head`];
    for (const path of last) given.parameters[path]?.fill(0);
    const { found } = await computed(given, [given.first, given.own]);
    expect(Number(found.stateLoss[0])).toBeCloseTo(wanted, 5);
  },
);

test.each(["decoder", "contrastive"] as const)(
  "where a batch asks for no state, the %s head's loss is 0 and all gradient is the model's own",
  async (head) => {
    const given = setupOf(head, { task: "code-traces", params: folder, form: {} });
    const nothing = given.own.staged.sheet().feeds(given.batch); // paper on which nothing was noted
    const { found } = await computed({ ...given, feeds: { ...given.feeds, ...nothing } }, [
      given.first,
      given.own,
    ]);
    expect([found.stateLoss[0], found.stateAccuracy[0]].map((x) => Math.abs(Number(x)))).toEqual([0, 0]);
    const { found: alone } = await computed(given, [given.first]);
    for (const path of Object.keys(given.parameters)) {
      const gradient = found[gradientName(path)];
      const wanted = alone[gradientName(path)] ?? new Float32Array(gradient.length);
      for (const [i, each] of gradient.entries())
        expect(Number(each), path).toBeCloseTo(Number(wanted[i]), 6);
    }
  },
);

test.each([
  [{ head: "linear" }, "arithmetic-program", /a task whose values are several tokens, got "linear"/],
  [{ head: "linear" }, "code-traces", /a task whose variables change, got "linear"/],
  [{ head: "metric" }, "code-traces", /a task whose variables change, got "metric"/],
  [{ head: "linear", layer: 2 }, "parity-program", /layer: expected a layer of 0 to 1, got 2/],
] as const)("%j on %s is refused in one sentence", ({ head, ...form }, task, sentence) => {
  const params = task === "code-traces" ? folder : {};
  expect(() => setupOf(head, { task, params, form })).toThrow(sentence);
});

test.each([
  [{ train: { loss: "reveals" } }, /^train\.loss: expected one of revealed-values, .*, got "reveals"/],
  [{ stateSupervision: { head: "decodr" } }, /Supervision\.head: .*, got "decodr"\. Did you mean decoder\?/],
  [
    { train: { loss: "linear" }, stateSupervision: {} },
    /another objective than that of train\.loss, got "linear"$/,
  ],
  [{ train: { optimizer: "adam" } }, /^train\.optimizer: .*, got "adam"\. Did you mean adamw\?/],
])("a configuration with %j is refused in one sentence", (change, sentence) => {
  const config = RunConfig.parse({ task: { name: "parity-program" }, model: { name: "lstm" }, ...change });
  expect(() => setUpOf(config)).toThrow(sentence);
});
