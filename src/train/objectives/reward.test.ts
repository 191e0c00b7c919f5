import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import {
  batchWriter,
  emptyBatch,
  exampleStream,
  maximumLength,
  prepareTask,
  tasks,
} from "../../tasks/index.ts";
import { wordTokenizer } from "../../tasks/tokenizer.ts";
import { leaveOneOut, surest, weighRewards } from "./reward.ts";

/** A bandit: the probabilities of a softmax and what each action is worth. */
const policy = [0.5, 0.3, 0.15, 0.05];
const worth = [0.2, 1, -0.4, 3];
const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const expected = policy.reduce((sum, share, a) => sum + share * worth[a], 0);
/** d E[R] / d logit_v = p_v (R_v - E[R]). */
const trueGradient = policy.map((share, v) => share * (worth[v] - expected));

/** The mean, over every outcome of K draws, of sum_k A_k d log p(a_k) / d logit / K. */
function meanGradient(
  samples: number,
  advantages: (rewards: readonly number[]) => readonly number[],
): number[] {
  const gradient = policy.map(() => 0);
  for (let outcome = 0; outcome < policy.length ** samples; outcome++) {
    const actions = Array.from(
      { length: samples },
      (_, k) => Math.floor(outcome / policy.length ** k) % policy.length,
    );
    const chance = actions.reduce((product, a) => product * policy[a], 1);
    const of = advantages(actions.map((a) => worth[a]));
    for (const [k, a] of actions.entries())
      for (const v of policy.keys())
        gradient[v] += (chance * of[k] * (Number(v === a) - policy[v])) / samples;
  }
  return gradient;
}

test.each([2, 3, 4, 6])(
  "with %d draws leave-one-out is unbiased; with itself in the mean it is (K - 1) / K of the gradient",
  (K) => {
    const own = meanGradient(K, leaveOneOut);
    const withSelf = meanGradient(K, (rewards) => rewards.map((each) => each - mean(rewards)));
    for (const v of policy.keys()) {
      expect(own[v]).toBeCloseTo(trueGradient[v], 12);
      expect(withSelf[v] / trueGradient[v]).toBeCloseTo((K - 1) / K, 10);
    }
  },
);

test("divided by the deviation of the group the gradient has another direction", () => {
  const scaled = meanGradient(4, (rewards) => {
    const deviation = Math.sqrt(mean(rewards.map((each) => (each - mean(rewards)) ** 2)));
    return rewards.map((each) => (deviation === 0 ? 0 : (each - mean(rewards)) / deviation));
  });
  const ratios = policy.map((_, v) => scaled[v] / trueGradient[v]);
  expect(Math.max(...ratios) / Math.min(...ratios)).toBeGreaterThan(1.3);
});

/**
 * Answers of two draws, of which the second is drawn anew n2 times behind the first one of each of n1 originals (CURE's branches at an uncertain
 * token). The mean gradient of what the first draw is made by, over every outcome, as a share of the true one.
 */
function prefixGradient(n1: number, n2: number, baseline: "all others" | "other originals"): number {
  const first = 0.35; // P(prefix 1)
  const second = [0.6, 0.2]; // P(suffix 1 | prefix)
  const paid = [
    [0.1, 1],
    [2, -0.5],
  ];
  const worthOf = (prefix: number) =>
    (1 - second[prefix]) * paid[prefix][0] + second[prefix] * paid[prefix][1];
  const wanted = first * (1 - first) * (worthOf(1) - worthOf(0));
  const bits = n1 * (2 + n2);
  let gradient = 0;
  for (let outcome = 0; outcome < 2 ** bits; outcome++) {
    const bit = (at: number) => (outcome >> at) & 1;
    let chance = 1;
    const answers = Array.from({ length: n1 }, (_, i) => {
      const prefix = bit(i * (2 + n2));
      chance *= prefix === 1 ? first : 1 - first;
      return Array.from({ length: 1 + n2 }, (_, j) => {
        const suffix = bit(i * (2 + n2) + 1 + j);
        chance *= suffix === 1 ? second[prefix] : 1 - second[prefix];
        return { original: i, branch: j > 0, prefix, reward: paid[prefix][suffix] };
      });
    }).flat();
    for (const one of answers) {
      const others = answers.filter((other) =>
        baseline === "all others" ? other !== one : other.original !== one.original && !other.branch,
      );
      const advantage = one.reward - mean(others.map(({ reward }) => reward));
      gradient += (chance * advantage * (one.prefix - first)) / answers.length;
    }
  }
  return gradient / wanted;
}

test.each([
  [2, 1],
  [3, 1],
  [2, 2],
])(
  "of %d answers with %d branches each the mean of all others shrinks the gradient of what they share by n2 / (N - 1); that of other originals does not",
  (n1, n2) => {
    const N = n1 * (1 + n2);
    expect(prefixGradient(n1, n2, "all others")).toBeCloseTo(1 - n2 / (N - 1), 10);
    expect(prefixGradient(n1, n2, "other originals")).toBeCloseTo(1, 10);
  },
);

test("a reward that is the same everywhere more changes nothing", () => {
  const [one, other] = [leaveOneOut([1, 0, 0, 1]), leaveOneOut([6, 5, 5, 6])];
  for (const [k, advantage] of one.entries()) expect(advantage).toBeCloseTo(other[k], 12);
  expect(leaveOneOut([1, 1, 1])).toEqual([0, 0, 0]);
});

test("a small step of the gradient changes the entropy by -rate times the covariance of log p and p A", () => {
  const logs = policy.map(Math.log);
  const entropyAfter = (rate: number) => {
    const raised = logs.map((log, v) => log + rate * trueGradient[v]);
    const total = raised.reduce((sum, each) => sum + Math.exp(each), 0);
    return raised.reduce((sum, each) => sum - (Math.exp(each) / total) * (each - Math.log(total)), 0);
  };
  const under = (values: readonly number[]) => policy.reduce((sum, share, v) => sum + share * values[v], 0);
  const covariance = under(logs.map((log, v) => log * trueGradient[v])) - under(logs) * under(trueGradient);
  for (const [rate, close] of [
    [1e-3, 3],
    [1e-2, 2],
  ]) {
    const measured = entropyAfter(rate) - entropyAfter(0);
    expect(measured / (-rate * covariance)).toBeCloseTo(1, close - 1);
  }
});

const prepared = prepareTask(tasks["group-words"], { group: "Z_3", length: 2 });
const tokenizer = wordTokenizer(prepared.words);

/** One program so many times over, and the same distribution at each place. */
function repeated(rows: number) {
  const batch = emptyBatch(rows, maximumLength(prepared, tokenizer));
  batchWriter(prepared, tokenizer)(batch, () => exampleStream(1, "train")(0), 0);
  const shares = [0.1, 0.4, 0.2, 0.3]; // <s> and three elements
  const said = Float32Array.from({ length: batch.tokens.length * 4 }, (_, i) => Math.log(shares[i % 4]));
  return { batch, shares, said };
}

test.each(["all", "each"] as const)(
  "credit %s: the weights of a batch are on average the gradient of the mean reward",
  async (credit) => {
    const { batch, shares, said } = repeated(4000);
    const context = { step: 1, rng: rngFrom(5), logProbabilities: async () => said };
    const { targets, weights, records } = await weighRewards(4, credit)(batch, context);
    const asked = [1, 2]; // behind each word
    const right = asked.map((at) => shares[batch.targets[at]]);
    const chance = credit === "all" ? right[0] * right[1] : (right[0] + right[1]) / 2;
    expect(Math.abs(records!.reward - chance)).toBeLessThan(0.02);
    expect(records!.entropy).toBeCloseTo(-shares.reduce((sum, share) => sum + share * Math.log(share), 0), 5);
    for (const [i, at] of asked.entries()) {
      const gradient = shares.map(() => 0);
      for (const [k, layer] of targets.entries())
        for (let row = 0; row < batch.rows; row++) {
          const place = row * batch.length + at;
          for (const v of shares.keys())
            gradient[v] += weights[k][place] * (Number(layer[place] === v) - shares[v]);
        }
      const share = credit === "all" ? chance : right[i] / 2; // each: the mean is over both answers
      for (const v of shares.keys()) {
        const wanted = share * (Number(v === batch.targets[at]) - shares[v]);
        expect(Math.abs(gradient[v] - wanted), `place ${at}, word ${v}`).toBeLessThan(0.012);
      }
    }
    for (const [k, layer] of weights.entries()) // nothing where nothing is asked
      for (let row = 0; row < 50; row++) expect([k, layer[row * batch.length]]).toEqual([k, 0]);
  },
);

test("a lock of H digits opens to a guess with n^-H", async () => {
  const { batch, said } = repeated(3000);
  const evenly = said.map(() => Math.log(1 / 4));
  const context = { step: 1, rng: rngFrom(6), logProbabilities: async () => evenly };
  const { records } = await weighRewards(8, "all")(batch, context);
  const spread = Math.sqrt(((1 / 16) * (15 / 16)) / (8 * 3000));
  expect(Math.abs(records!.reward - 1 / 16)).toBeLessThan(5 * spread);
});

test("Clip-Cov takes a share of the words out, all of the tenth that would make the model surest, and so the entropy falls by less", () => {
  const rng = rngFrom(8);
  const words = Array.from({ length: 1000 }, (_, i) => ({
    i,
    advantage: rng.normal(),
    log: -Math.abs(rng.normal()),
  }));
  const [advantage, log] = [mean(words.map((word) => word.advantage)), mean(words.map((word) => word.log))];
  const covariance = (word: (typeof words)[number]) => (word.advantage - advantage) * (word.log - log);
  const bound = words.map(covariance).toSorted((a, b) => b - a)[99];
  const taken = surest(words, 0.03, rng);
  expect(new Set(taken.map(({ i }) => i)).size).toBe(30);
  for (const word of taken) expect(covariance(word)).toBeGreaterThanOrEqual(bound);
  const kept = words.filter((word) => !taken.includes(word));
  // - rate Cov is what the entropy changes by at first: what is taken out are its largest terms.
  expect(mean(kept.map(covariance))).toBeLessThan(mean(words.map(covariance)) - 0.02);
  expect(surest(words, 0, rng)).toEqual([]);
  expect(surest([], 0.1, rng)).toEqual([]);
});

test("with clip the weights of a batch are those without, but for the words that are taken out", async () => {
  const { batch, said } = repeated(50);
  const weighed = (clip: number) =>
    weighRewards(4, "each", clip)(batch, { step: 1, rng: rngFrom(5), logProbabilities: async () => said });
  const [plain, clipped] = [await weighed(0), await weighed(0.05)];
  expect(clipped.targets).toEqual(plain.targets);
  const all = 4 * 50 * 2; // answers: two of each program
  let out = 0;
  for (const [k, layer] of plain.weights.entries())
    for (const [at, weight] of layer.entries()) {
      const now = clipped.weights[k][at];
      if (now !== weight) out++;
      expect([weight, 0]).toContain(now);
    }
  expect(out).toBe(0.05 * all);
});
