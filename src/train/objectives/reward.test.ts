import { expect, test } from "vitest";
import { noNumbers, rngFrom } from "../../core/rng.ts";
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

test("a reward that is the same everywhere more changes nothing", () => {
  const [one, other] = [leaveOneOut([1, 0, 0, 1]), leaveOneOut([6, 5, 5, 6])];
  for (const [k, advantage] of one.entries()) expect(advantage).toBeCloseTo(other[k], 12);
  expect(leaveOneOut([1, 1, 1])).toEqual([0, 0, 0]);
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

/** Runs `body` once for each sequence of its choices, with the probability of the sequence. */
async function everyChoice(body: (choose: (of: number) => number) => Promise<(chance: number) => void>) {
  const path: { at: number; readonly of: number }[] = [];
  do {
    let depth = 0;
    const use = await body((of) => {
      if (depth === path.length) path.push({ at: 0, of });
      return path[depth++].at;
    });
    use(path.reduce((product, { of }) => product / of, 1));
    while (path.length > 0 && path.at(-1)!.at + 1 === path.at(-1)!.of) path.pop();
    if (path.length > 0) path.at(-1)!.at++;
  } while (path.length > 0);
}

test.each([
  { samples: 2, branches: 1, critical: 1, sampled: 2 * (2 + 1) },
  { samples: 2, branches: 2, critical: 1, sampled: 2 * (2 + 2) },
  { samples: 3, branches: 1, critical: 1, sampled: 3 * (2 + 1) },
  { samples: 2, branches: 1, critical: 2, sampled: 2 * (2 + 1.5) },
])(
  "$samples answers, $branches branches from the most uncertain of $critical: over all draws the gradient is exact",
  async ({ samples, branches, critical, sampled }) => {
    const { batch } = repeated(1);
    // Thirds, so that three equal quantiles are all draws; the second answer is the uncertain one.
    const shares = [
      [0, 0, 0, 0],
      [2 / 3, 0, 0, 0].map((share, v) => (v === batch.targets[1] ? 1 / 3 : share)),
      [0, 1 / 3, 1 / 3, 1 / 3],
    ];
    const said = Float32Array.from(shares.flat(), (share) => Math.log(share));
    const gradient = shares.map((of) => of.map(() => 0));
    let words = 0;
    await everyChoice(async (choose) => {
      const rng = { ...noNumbers, next: () => (choose(3) + 0.5) / 3, below: choose };
      const context = { step: 1, rng, logProbabilities: async () => said };
      const found = await weighRewards(samples, "all", 0, { branches, critical })(batch, context);
      return (chance) => {
        words += chance * found.records!.sampled;
        for (const [k, layer] of found.targets.entries())
          for (const at of [1, 2])
            for (const v of shares[at].keys())
              gradient[at][v] += chance * found.weights[k][at] * (Number(layer[at] === v) - shares[at][v]);
      };
    });
    expect(words).toBeCloseTo(sampled, 8);
    for (const at of [1, 2])
      for (const v of shares[at].keys()) // d E[R] / d logit_v, with E[R] = 1/3 * 1/3
        expect(gradient[at][v]).toBeCloseTo((1 / 9) * (Number(v === batch.targets[at]) - shares[at][v]), 6);
  },
);

/** Mean share of the true gradient of a first word with which `baseline` trains it, over all answers of two words and their branches. */
function prefixShare(n1: number, n2: number, baseline: (rewards: readonly number[], i: number) => number) {
  const first = 0.3; // log-odds gradient of the word 1: 1 - 0.3, of the word 0: -0.3
  const second = [0.2, 0.6]; // chance of the second word 1, by the first
  const worthOf = [
    [0.1, 0.9],
    [0.4, 2],
  ];
  const value = (h: number) => (1 - second[h]) * worthOf[h][0] + second[h] * worthOf[h][1];
  const truth = first * (1 - first) * (value(1) - value(0));
  const each = 2 ** (2 + n2); // first word, second word, second words of the branches
  let gradient = 0;
  for (let outcome = 0; outcome < each ** n1; outcome++) {
    let chance = 1;
    const rewards: number[] = [];
    const firsts: number[] = [];
    for (let k = 0; k < n1; k++) {
      const own = Math.floor(outcome / each ** k) % each;
      const h = own & 1;
      chance *= h === 1 ? first : 1 - first;
      for (let j = 0; j <= n2; j++) {
        const s = (own >> (1 + j)) & 1;
        chance *= s === 1 ? second[h] : 1 - second[h];
        rewards[j * n1 + k] = worthOf[h][s];
        firsts[j * n1 + k] = h;
      }
    }
    for (const [i, reward] of rewards.entries())
      gradient += (chance * (reward - baseline(rewards, i)) * (firsts[i] - first)) / rewards.length;
  }
  return gradient / truth;
}

test.each([
  [2, 1, 2 / 3],
  [3, 1, 0.8],
  [2, 2, 0.6],
  [3, 2, 1 - 2 / 8],
])("CURE with %d originals and %d branches trains a shared word with %d of its gradient", (n1, n2, share) => {
  const others = (rewards: readonly number[], out: (i: number) => boolean) =>
    mean(rewards.filter((_, i) => !out(i)));
  const ofAll = prefixShare(n1, n2, (rewards, own) => others(rewards, (i) => i === own));
  const ofOriginals = prefixShare(n1, n2, (rewards, own) =>
    others(rewards, (i) => i >= n1 || i === own % n1),
  );
  expect(ofAll).toBeCloseTo(share, 10);
  expect(ofOriginals).toBeCloseTo(1, 10);
  expect(prefixShare(n1, n2, mean)).toBeCloseTo(1 - 1 / n1, 10); // with itself, as in GRPO
  expect(prefixShare(n1, n2, (rewards, i) => rewards[i] - leaveOneOut(rewards, n1)[i])).toBeCloseTo(1, 10);
});
