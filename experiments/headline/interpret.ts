/**
 * @file How does DeltaNet [-1,1] track? Its heads one by one: which reflects at every command, and what is lost without it.
 *
 *     trained   by `headline`: 12 commands on 3 variables, a reveal every 1, 2, 4 or 12
 *     read      its hardest test, 48 commands, a reveal every 24
 *     measured  for each head mean beta along a command, principal components of its keys, accuracy without it
 *
 * Expected, as A shows for one head of a large model (layer 12, head 3; 512 commands, a reveal every 4): one head holds
 * beta near 2 on every command; its keys need far fewer principal components than others; without it, and without no
 * other, tracking is gone: what is left is what the windowed Bayes filter knows.
 *
 * Source: A, arXiv:2602.14814, Fig. 5. Heads are ranked by beta alone, before any is silenced.
 */

import { mean } from "../../src/math/statistics.ts";
import type { Measurement } from "../../src/records/result.ts";
import { matrixFigure } from "../../src/report/figures/matrix.ts";
import {
  counted,
  type Drawing,
  experimentReport,
  listed,
  type NumbersFigure,
  percentSign,
} from "../../src/report/index.ts";
import { described } from "../engine/architectures.ts";
import type { Experiment, PublishedClaim, UnreadResult } from "../engine/experiment.ts";
import { measuredLine, measurementsOf } from "../engine/views.ts";
import { headline } from "./headline.ts";
import { BETA, HEADS, KEYS, MODEL, measureHeads, NEAR_2, RANK } from "./interpret-heads.ts";

const TRACKER = "deltanet[-1,1]";
/** Less than this is called no loss, and no distance from a reference. */
const SMALL = 0.05;
const ALL_COMPONENTS = "components for 99 %";

/** What was found in one seed: the model, then its heads in order of beta. */
interface Found {
  readonly seed: number;
  readonly model: Measurement["values"];
  readonly heads: readonly Measurement["values"][];
  /** `layer.head`. */
  readonly names: readonly string[];
}

export function foundIn(result: Pick<UnreadResult, "measurements" | "seeds">): Found[] {
  return result.seeds.flatMap((seed) => {
    const of = (name: string) => measurementsOf(result, { name }).filter((row) => row.seed === seed);
    const heads = of(HEADS).toSorted((a, b) => Number(a.at[RANK]) - Number(b.at[RANK]));
    const [model] = of(MODEL);
    if (model === undefined || heads.length === 0) return [];
    return [
      {
        seed,
        model: model.values,
        heads: heads.map(({ values }) => values),
        names: heads.map(({ note }) => note ?? ""),
      },
    ];
  });
}

/** The worse of what is left under zeros and under means: a head is needed only where both agree. */
const leftWithout = (head: Measurement["values"]) =>
  Math.max(head["accuracy at zero"], head["accuracy at mean"]);
const lostWithout = (head: Measurement["values"]) => Math.min(head["lost at zero"], head["lost at mean"]);
const windowed = (model: Measurement["values"]) => model.windowedBayes ?? 0;
const othersLose = ({ heads }: Found) => Math.max(0, ...heads.slice(1).map(lostWithout));
const othersNeed = ({ heads }: Found) => mean(heads.slice(1).map((head) => head[ALL_COMPONENTS]));

/** One head near 2, tracking gone without it, and without no other. */
const agrees = (found: Found) =>
  found.model.accuracy >= 0.95 &&
  found.heads[0].beta > NEAR_2 &&
  leftWithout(found.heads[0]) <= windowed(found.model) + SMALL &&
  othersLose(found) < SMALL;

const source = "A, arXiv:2602.14814, Fig. 5";
const published: PublishedClaim[] = [
  {
    source,
    statement: "One head holds beta at 2 on every command",
    published: 2,
    here: "mean beta at the token of a command where it is largest, of the head where that is largest",
    unit: "number",
    measure: (result) => foundIn(result).map(({ heads }) => heads[0].beta),
  },
  {
    source: "own question",
    statement: "... the next head by the same measure",
    unit: "number",
    measure: (result) => foundIn(result).flatMap(({ heads }) => heads[1]?.beta ?? []),
  },
  {
    source,
    statement: "Ablating that head destroys tracking",
    here: "accuracy without it less that of the windowed filter: at most 0 agrees",
    measure: (result) => foundIn(result).map(({ heads, model }) => leftWithout(heads[0]) - windowed(model)),
  },
  {
    source: "own question",
    statement: "... the most that ablating any other one head costs",
    measure: (result) => foundIn(result).map(othersLose),
  },
  {
    source,
    statement: "Its keys need far fewer principal components than those of other heads",
    here: "components for 99 % of their variance, over the mean of the other heads: below 1 agrees",
    unit: "number",
    measure: (result) => foundIn(result).map((found) => found.heads[0][ALL_COMPONENTS] / othersNeed(found)),
  },
];

export const interpret: Experiment = {
  name: "interpret",
  question: "How does DeltaNet [-1,1] track: which of its heads does it, and by what?",
  about: "which head of a tracker tracks, and by what (asks the headline's models)",
  publishedIn: "A, Fig. 5",
  models: described([TRACKER]),
  published,
  trainedBy: "headline",
  measureRun: measureHeads,

  plan(scale, seeds) {
    const plan = headline.plan(scale, seeds);
    return {
      ...plan,
      runs: plan.runs
        .filter(({ model }) => model === TRACKER)
        .map((run) => ({ ...run, tests: run.tests.slice(-1) })),
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    return foundIn(result).flatMap(findingsOf);
  },

  report(result) {
    const found = foundIn(result);
    const agreeing = found.filter(agrees).length;
    const test = result.results[0]?.tested.name ?? "";
    const over = (value: (each: Found) => number) => range(found.map(value), percentSign);
    return experimentReport(result, {
      title: `In ${agreeing} of ${counted(found.length, "seed")} one head with beta near 2 does the tracking, and no other is needed`,
      lead: `At ${test} (commands/commands per reveal) the whole model is right in ${over(({ model }) => model.accuracy)}, without the head whose beta is largest in ${over(({ heads }) => leftWithout(heads[0]))}; a filter that sees only the last ${counted(result.window ?? 0, "command")} is in ${over(({ model }) => windowed(model))}. Without any other one head at most ${points(Math.max(...found.map(othersLose)))} are lost.`,
      views: [betaView(result, found), ablationView(found), keysView(result, found)],
      untabled: [BETA, KEYS],
      table: {
        table: {
          columns: ["seed", "head", "beta", "components", "accuracy without", "whole", "windowed"],
          rows: found.flatMap(({ seed, heads, names, model }) =>
            heads.map((head, i) => [
              i === 0 ? String(seed) : "",
              names[i],
              head.beta.toFixed(3),
              String(head[ALL_COMPONENTS]),
              percentSign(leftWithout(head)),
              ...(i === 0 ? [model.accuracy, windowed(model)].map(percentSign) : ["", ""]),
            ]),
          ),
        },
        legend: [
          "  head: layer.head, in order of beta: the largest mean at any token of a command; components: for 99 % of the variance",
          "  of its keys; accuracy without: with the head at zero or at its mean, whichever leaves more",
        ],
      },
    });
  },
};

function findingsOf(found: Found): string[] {
  const { seed, model, heads, names } = found;
  const [first] = heads;
  const near = heads.filter(({ beta }) => beta > NEAR_2).length;
  const left = leftWithout(first);
  const needed = heads.flatMap((head, i) => (i > 0 && lostWithout(head) >= SMALL ? [i] : []));
  const others = othersNeed(found);
  const said: [boolean, string][] = [
    [model.accuracy < 0.95, `the model itself is right in ${percentSign(model.accuracy)} only`],
    [
      near === 0,
      `no head has a mean beta above ${NEAR_2} at any token of a command (${first.beta.toFixed(3)})`,
    ],
    [near > 1, `${near} heads have a mean beta above ${NEAR_2} at a token of a command`],
    [
      left > windowed(model) + SMALL,
      `without head ${names[0]}, whose beta is largest, the model is still right in ${percentSign(left)}, where the windowed filter is in ${percentSign(windowed(model))}`,
    ],
    ...needed.map((i): [boolean, string] => [
      true,
      `head ${names[i]} is needed too: ${points(lostWithout(heads[i]))} are lost without it`,
    ]),
    [
      heads.length > 1 && first[ALL_COMPONENTS] >= others,
      `the keys of head ${names[0]} need ${first[ALL_COMPONENTS]} principal components for 99 %, not fewer than those of others (${others.toFixed(1)} on average)`,
    ],
  ];
  return said.flatMap(([holds, sentence]) => (holds ? [`Seed ${seed}: ${sentence}.`] : []));
}

function betaView(result: UnreadResult, found: readonly Found[]) {
  const rows = found.flatMap(({ seed, names }) => names.map((name, i) => ({ seed, name, rank: i + 1 })));
  const figure = (line: string): Drawing[] => {
    const own = measurementsOf(result, { name: BETA }).filter(({ at }) => at.line === line);
    const places = [...new Set(own.map(({ at }) => Number(at.place)))].toSorted((a, b) => a - b);
    if (places.length === 0) return [];
    const title = `Mean beta along a ${line}`;
    return [
      {
        kind: "drawing",
        title,
        drawing: matrixFigure({
          title,
          rowLabel: "seed: head",
          columnLabel: `tokens of a ${line}, from its first`,
          rows: rows.map(({ seed, name }) => `${seed}: ${name}`),
          columns: places.map((place) => own.find(({ at }) => at.place === place)?.note ?? ""),
          cells: rows.map(({ seed, rank }) =>
            places.map(
              (place) =>
                own.find((row) => row.seed === seed && row.at[RANK] === rank && row.at.place === place)
                  ?.values.beta,
            ),
          ),
          ...{ from: 0, to: 2, digits: 2 },
        }),
      },
    ];
  };
  const all = found.map(({ heads }) => heads[0]["commands above 1.9"]);
  const horizons = range(
    found.map(({ heads }) => heads[0].horizon),
    (horizon) => horizon.toFixed(0),
  );
  return {
    heading: "Which head reflects",
    text:
      "At each token a head multiplies what stands in its memory along the key by 1 \u2212 beta. 1 leaves it, \u22121 (beta = 2) reflects it, and a swap is a reflection. For each seed the heads are listed in order of the largest mean beta at any token of a command. " +
      `The first one has a beta above ${NEAR_2} at that token in ${range(all, percentSign)} of all commands; by its beta half of what it turns would be left after ${horizons} commands. What it means: where only one head comes near 2, only that one can carry a permutation from command to command without losing it; the others forget within a few.`,
    caption:
      "Mean over all programs; layer.head, both counted from 0. A swap is nine tokens. On reveals the same head may be near 2 as well, at tokens whose key meets nothing it holds.",
    figures: [...figure("command"), ...figure("reveal")],
  };
}

function ablationView(found: readonly Found[]) {
  const most = Math.max(...found.map(({ heads }) => heads.length));
  const ranks = Array.from({ length: most }, (_, i) => i);
  const figure = (kind: "zero" | "mean"): Drawing => {
    const title = `Accuracy (%) with a head at ${kind === "zero" ? "zero" : "its mean"}`;
    return {
      kind: "drawing",
      title,
      drawing: matrixFigure({
        title,
        rowLabel: "seed",
        columnLabel: "without the n-th head by beta; windowed: no model",
        rows: found.map(({ seed }) => String(seed)),
        columns: ["whole", ...ranks.map((i) => `no. ${i + 1}`), "windowed"],
        cells: found.map(({ model, heads }) =>
          [model.accuracy, ...ranks.map((i) => heads[i]?.[`accuracy at ${kind}`]), model.windowedBayes].map(
            (share) => (share === undefined ? undefined : 100 * share),
          ),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      }),
    };
  };
  const agreeing = found.filter(agrees).map(({ seed }) => String(seed));
  return {
    heading: "What is lost without each head",
    text:
      "Each head is silenced in turn in the whole program: with zeros in place of what it reads, and, since zeros are nothing a model is used to, with its mean over all programs. " +
      `The windowed filter knows what can be known without carrying a state further than its window. What it means: where the first column drops to that filter or below and the others stay, that one head is the tracker: ${agreeing.length === 0 ? "in no seed here" : `so in ${agreeing.length === 1 ? "seed" : "seeds"} ${listed(agreeing)}`}. Two heads that stand in for each other would both look idle; silencing one at a time does not show that.`,
    caption: "The same programs in every column of a row.",
    figures: [figure("zero"), figure("mean")],
  };
}

function keysView(result: UnreadResult, found: readonly Found[]) {
  const ranks = [...new Set(measurementsOf(result, { name: KEYS }).map(({ at }) => Number(at[RANK])))];
  const figure: NumbersFigure = {
    kind: "numbers",
    title: "Variance of keys held by so many components",
    yLabel: "cumulative share of variance",
    xLabel: "principal components",
    levels: [{ y: 0.99, label: "99 %" }],
    lines: ranks.map((rank, index) => ({
      label: `no. ${rank} by beta`,
      index,
      seeds: measuredLine(
        measurementsOf(result, { name: KEYS }).filter(({ at }) => at[RANK] === rank),
        "components",
        "share",
      ),
    })),
  };
  const fewest = found.filter(({ heads }) =>
    heads.slice(1).every((head) => head[ALL_COMPONENTS] > heads[0][ALL_COMPONENTS]),
  ).length;
  const needs = (values: readonly number[]) => range(values, (value) => value.toFixed(0));
  return {
    heading: "Along how many directions it writes",
    text: `Keys of all tokens of commands. For 99 % of their variance the first head by beta needs ${needs(found.map(({ heads }) => heads[0][ALL_COMPONENTS]))} components, the others ${needs(found.flatMap(({ heads }) => heads.slice(1).map((head) => head[ALL_COMPONENTS])))}. What it means: a head that only ever turns its memory along the few directions between slots needs few; in ${fewest} of ${counted(found.length, "seed")} the first head needs the fewest of all.`,
    caption: "Strong line: mean over seeds.",
    figures: [figure],
  };
}

/** `12`, or `11 to 13`. */
function range(values: readonly number[], shown: (value: number) => string): string {
  if (values.length === 0) return "";
  const [low, high] = [shown(Math.min(...values)), shown(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}

const points = (share: number) => `${(100 * share).toFixed(1)} points`;
