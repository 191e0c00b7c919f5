/**
 * @file How wrong can marginals be about what is certain? A search for the worst sequences of commands and reveals.
 *
 *     settings   n variables; a command swaps a pair with probability p, unseen; answers are any that are possible
 *     work       one setting, each rule of writing a reveal: beam search, events (commands and answers) one by one
 *     error      -ln of what the marginals give to a value that the exact filter is certain of
 *
 * Nothing is trained. Expected: against the linear writes the error grows in proportion to the length, with no end; for
 * "row only" by ln 2 every two events, which is what the simplest cycle gives by arithmetic (maybe swap b and c, then show
 * that c is still 3: each time half of what is left of b's 2 is gone). Sinkhorn's scaling, not linear, is right with three
 * variables and is misled with four. What is found is a lower bound: there may be worse.
 *
 * Source: A's finding in words, arXiv:2602.14814; definitions and numbers our own.
 */

import {
  type MarginalAdversary,
  type MarginalRule,
  marginalAdversarySteps,
  marginalRules,
} from "../../src/analysis/belief/index.ts";
import { described } from "../../src/app/belief/tables.ts";
import { measured, type NumbersFigure } from "../../src/report/index.ts";
import {
  A,
  above,
  atMost,
  type ClaimOf,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measurements,
  type Measuring,
  measuredLine,
  type PlannedWork,
  type UnreadResult,
} from "../runner/index.ts";

/** What the adversary may do, and for how long. */
interface Game {
  readonly variables: number;
  readonly probability: number;
  readonly length: number;
}

const settings = {
  smoke: {
    games: [
      { variables: 3, probability: 0.5, length: 8 },
      { variables: 4, probability: 0.5, length: 12 },
    ],
    beam: 12,
  },
  laptop: {
    games: [
      { variables: 3, probability: 0.5, length: 48 },
      { variables: 4, probability: 0.5, length: 48 },
      { variables: 5, probability: 0.5, length: 48 },
      { variables: 4, probability: 0.1, length: 24 },
    ],
    beam: 100,
  },
  paper: {
    games: [3, 4, 5, 6].flatMap((variables) =>
      [0.5, 0.1].map((probability) => ({ variables, probability, length: probability === 0.5 ? 96 : 32 })),
    ),
    beam: 400,
  },
};
type Settings = (typeof settings)["laptop"];

const rules: Record<MarginalRule, { readonly label: string; readonly summary: string }> = {
  row: { label: "row only", summary: "a reveal \u201Ci holds j\u201D writes row i; linear" },
  "row+column": { label: "row + column", summary: "and clears column j in the other rows; linear" },
  sinkhorn: { label: "Sinkhorn", summary: "and scales rows and columns until all sum to 1; not linear" },
};

const worstByLength = defineMeasurement({
  id: "worstByLength",
  label: "worst error by length",
  at: { events: "events" },
  values: { error: "error" },
});

const worstFound = defineMeasurement({
  id: "worstFound",
  label: "the worst sequence found",
  at: { events: "events" },
  values: {
    error: "error",
    share: "stated for what is certain",
    slope: "nats an event, second half",
  },
});

/** Events between two points of a line. */
const STRIDE = 4;

const nameOf = ({ variables, probability }: Omit<Game, "length">) => `n ${variables}, p ${probability}`;

function* measureWork({ seed, options: game }: PlannedWork<Game & { beam: number }>): Measuring {
  const rows = [];
  for (const [i, rule] of marginalRules.entries()) {
    const steps = marginalAdversarySteps({ ...game, rule, seed });
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      yield { done: i * game.length + step.value.done, of: marginalRules.length * game.length };
    }
    rows.push(...rowsOf(rule, game, step.value));
  }
  return rows;
}

function rowsOf(model: MarginalRule, { variables, length }: Game, found: MarginalAdversary): Measurements {
  const { growth, nearSlope } = found;
  const worst = growth.at(-1);
  const errorAt = (most: number) => growth.findLast((mistake) => mistake.length <= most)?.error ?? 0;
  return [
    worstFound.row({
      model,
      at: { events: length },
      values: { error: worst?.error ?? 0, share: worst?.share ?? 1, slope: nearSlope },
      note: worst === undefined ? "nothing found" : described(worst, variables),
    }),
    ...Array.from({ length: Math.floor(length / STRIDE) }, (_, i) => {
      const events = (i + 1) * STRIDE;
      return worstByLength.row({ model, at: { events }, values: { error: errorAt(events) } });
    }),
  ];
}

const slopes = (result: UnreadResult, game: Omit<Game, "length">, model: MarginalRule) =>
  worstFound.of(result, { setting: nameOf(game), model }).map(({ values }) => values.slope);

const four = { variables: 4, probability: 0.5 };

const breaks = (model: MarginalRule, statement: string): ClaimOf<Settings> => ({
  source: `${A}, in words`,
  statement,
  here: `growth of the worst error, ${rules[model].label}, nats per event; four variables, p 0.5, second half of the length`,
  unit: "nats",
  measure: (result) => slopes(result, four, model),
  agrees: (values) => values.every((nats) => nats > 0),
});

export const marginalAdversary = defineExperiment<Settings>({
  name: "marginal-adversary",
  question: "How wrong can marginals be about a certain value, and does the error grow?",
  about: "How wrong can marginals become? Trains nothing",
  publishedIn: "A, in words",
  models: rules,
  settings,
  published: [
    breaks("row+column", "The marginal representation breaks on adversarial sequences"),
    {
      ...breaks("sinkhorn", "With Sinkhorn's nonlinear rule the worst error of marginals does not grow"),
      source: "own expectation",
      published: 0,
      agrees: (values) => values.every((nats) => nats <= 0),
    },
    {
      source: "by arithmetic: ln 2 every two events",
      statement: "With the row write alone the simplest cycle costs ln(2) / 2 nats per event",
      published: Math.LN2 / 2,
      here: "nats per event, second half of the length; four variables, p 0.5",
      unit: "nats",
      measure: (result) => slopes(result, four, "row"),
    },
  ],
  measurements: [worstByLength, worstFound],
  measureWork,

  plan: ({ games, beam }, seeds) => ({
    runs: [],
    work: crossed(seeds, games).map(([seed, game]) => ({
      setting: nameOf(game),
      model: "",
      seed,
      options: { ...game, beam },
    })),
  }),

  checks(result, { games }) {
    return crossed(games, marginalRules).flatMap(([game, model]) => {
      const found = worstFound.of(result, { setting: nameOf(game), model }).map(({ values }) => values);
      const name = `${nameOf(game)}, ${rules[model].label}`;
      return model === "sinkhorn" && game.variables === 3
        ? atMost(
            `${name}: worst error`,
            found.map(({ error }) => error),
            0,
            "nats",
          )
        : above(
            `${name}: growth of the worst error an event`,
            found.map(({ slope }) => slope),
            0,
            "nats",
          );
    });
  },

  report(result) {
    const asked = [...new Set(result.measurements.map(({ setting }) => setting))];
    return {
      views: [
        {
          heading: "How the worst error grows",
          text: "The adversary chooses commands and possible reveals. At the end the exact filter is certain of a variable, and the marginals are far from it. The error is minus the logarithm of their probability for the true value. A straight line means that no bound was found.",
          caption: "Nats by the number of events. Beam search: each line is a lower bound.",
          figures: asked.map((setting) => growthFigure(result, setting)),
        },
        {
          heading: "The worst sequences",
          text: "ab is a command that may swap a and b. d=4 reveals that d holds 4. In the cycle of the first rule each reveal shows that the swap did not happen, and halves the remaining probability.",
          caption: "Stated: the probability of the marginals for the certain value.",
          figures: [],
          words: 2,
          table: {
            columns: ["setting", "rule", "error, nats", "stated", "after"],
            rows: worstFound
              .of(result, { seed: result.seeds[0] })
              .map(({ setting, model, values, note }) => [
                setting,
                rules[model as MarginalRule].label,
                measured(values.error),
                measured(values.share),
                shortened(note ?? ""),
              ]),
          },
        },
      ],
      untabled: [worstByLength.id, worstFound.id],
    };
  },
});

function growthFigure(result: UnreadResult, setting: string): NumbersFigure {
  return {
    kind: "numbers",
    title: setting.replace("n ", "Variables: ").replace(", p", "; swaps with probability"),
    yLabel: "worst error found, nats",
    xLabel: "events: commands and answers",
    lines: marginalRules.map((model, index) => ({
      label: rules[model].label,
      index,
      seeds: measuredLine(worstByLength.of(result, { setting, model }), "events", "error"),
    })),
  };
}

/** The first words; all are in result.json. */
function shortened(sequence: string): string {
  const events = sequence.split(" ");
  return events.length <= 10 ? sequence : `${events.slice(0, 10).join(" ")} \u2026`;
}
