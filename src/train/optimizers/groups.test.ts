import { expect, test } from "vitest";
import { configureModel, modelNamed, parameterShapes } from "../../models/index.ts";
import { flattenParameters } from "../../tensor/index.ts";
import { settingsOf } from "./groups.ts";

const train = { beta1: 0.9, beta2: 0.95, weightDecay: 0.1 };

/** The settings of every parameter of a model with one layer, by path. */
function settings(config: { readonly name: string }, more: Parameters<typeof settingsOf>[1] = train) {
  const model = configureModel(modelNamed(config.name), { layers: 1, width: 8, ...config }, 7, "model");
  const ranges = flattenParameters(parameterShapes(model)).map(([path, { shape }]) => ({ path, shape }));
  const found = settingsOf(ranges, more, model.mixers);
  return Object.fromEntries(ranges.map(({ path }, i) => [path.replace("layers.0.mixer.", ""), found[i]]));
}

const usual = { ...train, learningRateRatio: 1 };
const still = { ...usual, weightDecay: 0 };

test("by default matrices decay, and no embedding, norm, bias, convolution, decay rate, skip or initial state does", () => {
  const mamba2 = settings({ name: "mamba2", heads: 2, stateSize: 4, initialState: "trained" } as {
    name: string;
  });
  for (const [path, found] of Object.entries(mamba2)) {
    const decays = ["input", "out", "head"].includes(path) || path.startsWith("layers.0.feedForward.");
    expect(found, path).toMatchObject(decays ? usual : still);
  }
  expect(Object.keys(mamba2)).toEqual(
    expect.arrayContaining([
      "embedding",
      "convolution",
      "logRate",
      "stepBias",
      "skip",
      "initialState.layers.0.S",
    ]),
  );
});

test("S4D, S5 and RWKV-7 train some parameters as their sources do", () => {
  const slow = { ...still, learningRateRatio: 1 / 3 };
  const s5 = settings({ name: "s5" });
  expect(s5).toMatchObject({ logRate: slow, frequency: slow, logStep: slow, write: slow, read: usual });
  const s4d = settings({ name: "s4d" });
  expect(s4d).toMatchObject({ logRate: slow, frequency: slow, logStep: slow, read: usual, skip: still });
  const rwkv7 = settings({ name: "rwkv7" });
  expect(rwkv7).toMatchObject({
    "decay.bias": { ...still, learningRateRatio: 2 },
    "gate.up": still,
    key: usual,
  });
});

test("a group of the configuration changes what it names, for parameters that no earlier group matches", () => {
  const groups = [
    { match: "*Rate|skip", beta2: 0.99 },
    { match: "*mixer.*", learningRateRatio: 0.5, weightDecay: 1 },
  ];
  const found = settings({ name: "s5" }, { ...train, groups });
  expect(found.logRate).toMatchObject({ ...still, learningRateRatio: 1 / 3, beta2: 0.99 });
  expect(found.skip).toMatchObject({ ...usual, learningRateRatio: 0.5, weightDecay: 1 }); // its path does not begin with skip
  expect(found.head).toMatchObject(usual);
});

test.each([
  ["a.b", "a.b", true],
  ["a.b", "a.bc", false],
  ["*b|x", "a.b", true],
  ["a*a", "a", false],
  ["a*.b*.c", "ax.b.b.c", true],
  ["a*b*c", "acb", false],
  ["*", "a.b", true],
])("%s fits %s: %s", (match, path, fits) => {
  const settled = () => settingsOf([{ path, shape: [1] }], { ...train, groups: [{ match }] }, []);
  if (fits) settled();
  else expect(settled).toThrow("train.groups.0.match");
});

test("a pattern that matches nothing is refused with the paths", () => {
  const groups = [{ match: "head" }, { match: "layers.0.mixer.a(b" }];
  expect(() => settings({ name: "s4d" }, { ...train, groups })).toThrow(
    /^train\.groups\.1\.match: expected a pattern of embedding, layers\.\*\.mixerNorm, .*, head, got "layers\.0\.mixer\.a\(b"/,
  );
});
