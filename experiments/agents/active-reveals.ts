/**
 * @file What is it worth to choose what is shown? A state is moved by chance, unseen; after every r commands one variable is printed.
 *
 *     work       n, p, r: random, round robin and greedy choices; what remains of the state's entropy after a reveal, exactly
 *     bound      n = 3, r = 2: the least that any choice can leave after k reveals, by expectimax over everything that can happen
 *     runs       models that learn to say which variable a greedy chooser prints, and then choose themselves
 *
 * A reveal is a function of the state, so its gain is the entropy of that variable. Expected: greedy < round robin < random in what
 * remains; at p = 0.5, r = 1 greedy leaves nothing, since asking for one of the two that were maybe swapped tells all; a model that has learned its
 * training leaves what greedy leaves, for as long as it was trained and longer. Refuted if a model that imitates in 95 % leaves as much as
 * round robin.
 *
 * Source: own; numbers of five variables by an earlier program of ours (src/analysis/belief/active.ts).
 */

import {
  activeReference,
  activeRevealSteps,
  followActive,
  revealBounds,
} from "../../src/analysis/belief/index.ts";
import type { TrainedRun } from "../../src/app/run/open.ts";
import { entropy, type RevealChoice, revealChoices } from "../../src/core/active-query.ts";
import { afterAction, afterAnswer, drawMove, drawState } from "../../src/core/hidden-markov.ts";
import { indexPairs, permutationMachine } from "../../src/core/permutation-walk.ts";
import type { PartsDone } from "../../src/core/progress.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { mean, standardError } from "../../src/core/statistics.ts";
import { ActiveRevealsParams, maybeWalk } from "../../src/tasks/active-reveals.ts";
import { maybeParts, printParts, swapParts } from "../../src/tasks/pfsa/commands.ts";
import { openDecoder } from "../../src/train/decoder.ts";
import {
  about,
  architectures,
  type ClaimOf,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  HELD_THEN_FALLING,
  LAPTOP,
  type Measurements,
  type Measuring,
  near,
  type PlannedRun,
  type PlannedWork,
  recipeConfig,
  type Scale,
  SMOKE,
  type TrainingSetup,
  tracks,
  type UnreadResult,
} from "../runner/index.ts";

/** What remains in nats after each print of each episode. */
async function* chosenByModel(
  run: TrainedRun,
  { variables: n, probability, spacing, prints }: ActiveRevealsParams,
  streams: readonly Rng[],
): AsyncGenerator<PartsDone, number[][]> {
  const { tokenizer, variant } = run.data;
  const { maximumWords } = variant({ prints }, "test");
  const decoder = await openDecoder(run.model, { tree: run.tree, data: run.weights }, run.runtime, {
    slots: streams.length,
    context: maximumWords,
  });
  const machine = permutationMachine(maybeWalk(n, probability));
  const names = run.data.variant({}, "test").variables.slice(0, n);
  const nameTokens = names.map((name) => tokenizer.encode(name)[0]);
  const pairs = indexPairs(n);
  const episodes = streams.map((stream) => {
    const moves = stream.fork("moves");
    return { moves, state: drawState(machine.start, moves), belief: machine.start, left: [] as number[] };
  });
  let position = 0;
  const feed = async (texts: readonly string[]) => {
    const tokens = texts.map((text) => tokenizer.encode(text));
    let logits = new Float32Array();
    for (let at = 0; at < tokens[0].length; at++) {
      for (const [slot, each] of tokens.entries()) {
        decoder.tokens[slot] = each[at];
        decoder.positions[slot] = position;
      }
      position++;
      logits = (await decoder.step()) as Float32Array<ArrayBuffer>;
    }
    return logits;
  };
  try {
    for (const slot of streams.keys()) decoder.clear(slot);
    const start = `import random\n${names.map((name, i) => `${name} = ${i + 1}\n`).join("")}`;
    let before = streams.map(() => start);
    for (let asked = 0; asked < prints; asked++) {
      yield { done: asked, of: prints };
      const texts = episodes.map((episode, slot) => {
        let text = before[slot];
        for (let step = 0; step < spacing; step++) {
          const at = episode.moves.below(pairs.length);
          episode.state = drawMove(machine.actions[at], episode.state, episode.moves);
          episode.belief = afterAction(episode.belief, machine.actions[at]);
          const [i, j] = pairs[at];
          text += `${[...maybeParts(probability), ...swapParts(names[i], names[j])].join("")}\n`;
        }
        return text + printParts(names[0])[0];
      });
      const logits = await feed(texts);
      before = episodes.map((episode, slot) => {
        const scores = nameTokens.map((token) => logits[slot * decoder.vocabulary + token]);
        const chosen = scores.indexOf(Math.max(...scores));
        const question = machine.questions[chosen];
        const answer = question.answer[episode.state];
        episode.belief = afterAnswer(episode.belief, question, answer);
        episode.left.push(entropy(episode.belief));
        return `${printParts(names[chosen]).slice(1).join("")}${answer + 1}\n`;
      });
    }
  } finally {
    await decoder.release();
  }
  return episodes.map(({ left }) => left);
}

interface Walk {
  readonly variables: number;
  readonly probability: number;
  readonly spacing: number;
}

interface Settings extends TrainingSetup {
  readonly walks: readonly Walk[];
  /** Counted reveals of each. */
  readonly reveals: number;
  /** Reveals of the expectimax. */
  readonly looked: number;
  /** Prints of the programs that are learned, and of those on which a model chooses. */
  readonly prints: number;
  readonly chosen: number;
}

const five: readonly Walk[] = activeReference.map(({ probability, spacing }) => ({
  ...{ variables: 5, probability, spacing },
}));
const three: readonly Walk[] = [
  { variables: 3, probability: 0.5, spacing: 2 },
  { variables: 3, probability: 0.1, spacing: 2 },
];
/** The one that models learn: the last command alone tells the greedy choice in 45 of 100 prints. */
const learned: Walk = { variables: 3, probability: 0.1, spacing: 4 };

/** Side by side. */
const EPISODES = 64;
const LEARNING = { prints: 4, chosen: 16 };
const laptop: Settings = {
  ...{ ...LAPTOP, ...LEARNING },
  ...{ walks: [...five, ...three, learned], reveals: 40_000, looked: 4 },
  train: { ...HELD_THEN_FALLING, steps: 800, batch: 16, learningRate: 2e-3, warmupSteps: 20 },
  programs: 300,
};
const settings: Record<Scale, Settings> = {
  smoke: {
    ...{ ...SMOKE, ...LEARNING },
    ...{ walks: [five[0], three[0]], reveals: 160, looked: 2 },
  },
  laptop,
  paper: {
    ...laptop,
    reveals: 400_000,
    train: { ...laptop.train, steps: 10_000 },
    programs: 1000,
  },
};

const trained = ["lstm", "deltanet[-1,1]"] as const;
const choices = Object.keys(revealChoices) as RevealChoice[];
const models = {
  random: { label: "random", summary: "a random variable, uniform" },
  "round-robin": { label: "round robin", summary: "one variable after the other" },
  greedy: { label: "greedy", summary: "the variable whose value is least certain now" },
  best: { label: "expectimax", summary: "the choices that leave least after the last reveal" },
  ...described(trained),
};

const nameOf = ({ variables, probability, spacing }: Walk) =>
  `n ${variables}, p ${probability}, r ${spacing}`;

const remains = defineMeasurement({
  id: "remains",
  label: "entropy after a reveal, nats",
  at: {},
  values: {
    remaining: "nats that remain",
    standardError: "standard error",
    gain: "gain a reveal",
    gainError: "its error",
  },
});

const bounds = defineMeasurement({
  id: "bounds",
  label: "exact entropy after N reveals from the known start",
  at: { reveals: "reveals" },
  values: { remaining: "nats that remain" },
});

const chosen = defineMeasurement({
  id: "chosen",
  label: "the model chooses: same commands for each, first quarter of the reveals dropped",
  at: {},
  values: {
    remaining: "nats that remain",
    standardError: "standard error",
    aboveGreedy: "above greedy",
    aboveError: "its error",
  },
});

function* measureWork({ seed, options }: PlannedWork<Walk & { looked: number; reveals: number }>): Measuring {
  const { looked, reveals, ...walk } = options;
  const steps = activeRevealSteps({ ...walk, reveals, seed, choices });
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield step.value;
  const rows = step.value.scores.map(({ choice, remaining, gain }) =>
    remains.row({
      model: choice,
      values: {
        ...{ remaining: remaining.mean, standardError: remaining.standardError },
        ...{ gain: gain.mean, gainError: gain.standardError },
      },
    }),
  );
  const machine = permutationMachine(maybeWalk(walk.variables, walk.probability));
  const isSmall = walk.variables <= 3 && walk.spacing <= 2;
  for (let k = 1; isSmall && k <= looked; k++) {
    const { best, greedy } = revealBounds(machine, walk.spacing, k);
    for (const [model, remaining] of [
      ["best", best],
      ["greedy", greedy],
    ] as const)
      rows.push(bounds.row({ model, at: { reveals: k }, values: { remaining } }));
  }
  return rows;
}

async function* measureRun(run: TrainedRun, { config, model, tests }: PlannedRun): Measuring {
  const { prints } = tests[1].change as { prints: number }; // from `testsOf`
  const { name: _, ...task } = config.task;
  const params = ActiveRevealsParams.parse({ ...task, prints });
  const rng = rngFrom(config.seed).fork("active reveals, chosen");
  const streams = Array.from({ length: EPISODES }, (_each, i) => rng.fork(i));
  const dropped = Math.floor(prints / 4);
  const late = (left: readonly number[]) => mean(left.slice(dropped));
  const own = (yield* chosenByModel(run, params, streams)).map(late);
  const machine = permutationMachine(maybeWalk(params.variables, params.probability));
  const by = (choice: RevealChoice) =>
    streams.map((stream) =>
      late(
        followActive(machine, params.spacing, prints, revealChoices[choice], stream).map(
          ({ after }) => after,
        ),
      ),
    );
  const greedy = by("greedy");
  const row = (name: string, values: readonly number[]) => {
    const above = values.map((value, i) => value - greedy[i]);
    return chosen.row({
      model: name,
      values: {
        ...{ remaining: mean(values), standardError: standardError(values) },
        ...{ aboveGreedy: mean(above), aboveError: standardError(above) },
      },
    });
  };
  const rows: Measurements[number][] = [row(model, own)];
  // The scripted choices are the same in every run: only the first model reports them.
  if (model === trained[0]) for (const choice of choices) rows.push(row(choice, by(choice)));
  return rows;
}

const testsOf = ({ prints, chosen: longer }: Settings) => [
  { name: "as trained", change: { prints }, asTrained: true, chance: 1 / learned.variables },
  { name: "longer", change: { prints: longer }, asTrained: false, chance: 1 / learned.variables },
];

/** True if a run imitates at least 95 % of the choices in programs as trained. */
const hasLearned = (result: UnreadResult, model: string, seed: number) =>
  result.results.some(
    (row) => row.model === model && row.seed === seed && row.tested.asTrained && tracks.met(row.accuracy),
  );

const claimsOfReference = activeReference.flatMap(({ probability, spacing, remaining }) =>
  choices.map((model): ClaimOf<Settings> => {
    const setting = nameOf({ variables: 5, probability, spacing });
    return {
      source: "own numbers of an independent earlier program, standard error 0.015",
      statement: `Entropy after a reveal, ${models[model].label}: five variables, swap probability ${probability}, a reveal every ${spacing}`,
      published: remaining[model],
      unit: "nats",
      measure: (result) => remains.of(result, { setting, model }).map(({ values }) => values.remaining),
      measureErrors: (result) =>
        remains.of(result, { setting, model }).map(({ values }) => values.standardError),
      agrees: (values) => Math.abs(mean(values) - remaining[model]) <= EARLIER,
    };
  }),
);

/** The error of the earlier numbers. */
const EARLIER = 0.015;

export const activeRevealsExperiment = defineExperiment<Settings>({
  name: "active-reveals",
  question: "What is it worth to choose which variable is revealed, and can a model learn to choose?",
  about: "What is it worth to choose the reveals?",
  models,
  settings,
  published: [
    claimsOfReference,
    trained.map((model) => ({
      statement: `${architectures[model].label} that imitates the greedy chooser leaves as little entropy, at four times the length`,
      here: `nats above greedy; ${nameOf(learned)}; runs that fit at least 95 % of the choices`,
      published: 0,
      unit: "nats",
      models: [model],
      measure: (result) =>
        chosen
          .of(result, { model })
          .filter(({ seed }) => hasLearned(result, model, seed))
          .map(({ values }) => values.aboveGreedy),
    })),
  ],
  measurements: [remains, bounds, chosen],
  measureWork,
  measureRun,

  plan: (setup, seeds) => ({
    runs: crossed(seeds, trained).map(([seed, model]) => ({
      ...{ setting: nameOf(learned), model },
      config: recipeConfig(
        setup,
        {
          task: { name: "active-reveals", ...learned, prints: setup.prints },
          stages: [[{ prints: setup.prints }]],
        },
        model,
        seed,
      ),
      tests: testsOf(setup),
    })),
    work: crossed(seeds, setup.walks).map(([seed, walk]) => ({
      ...{ setting: nameOf(walk), model: "greedy", seed },
      options: { ...walk, reveals: setup.reveals, looked: setup.looked },
    })),
  }),

  checks: (result) =>
    activeReference.flatMap(({ probability, spacing, remaining }) => {
      const setting = nameOf({ variables: 5, probability, spacing });
      return choices.flatMap((model) =>
        about(
          [model],
          near(
            `${setting}, ${models[model].label}: nats that remain`,
            remains.of(result, { setting, model }).map(({ values }) => values.remaining),
            remaining[model],
            EARLIER,
            { unit: "nats" },
          ),
        ),
      );
    }),
});
