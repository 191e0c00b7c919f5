/**
 * @file How does DeltaNet [-1,1] track? Its heads one by one: which reflects at every command, and what is lost without it.
 *
 *     trained   by `headline`: 12 commands on 3 variables, a reveal every 1, 2, 4 or 12
 *     read      48 commands, a reveal every 24
 *     measured  for each head mean beta along a command, principal components of its keys, accuracy without it
 *
 * Expected, as A shows for one head of a large model (layer 12, head 3; 512 commands, a reveal every 4): one head holds
 * beta near 2 on every command; its keys need far fewer principal components than others; with it silenced tracking is
 * gone: what is left is what the windowed Bayes filter knows. Our own question: what does silencing any other one cost?
 * Heads are silenced one by one, so two that stand in for each other would both look idle.
 *
 * Source: A, arXiv:2602.14814, Fig. 5. Heads are ranked by beta alone, before any is silenced.
 */

import { counted, percentSign, points } from "../../src/report/index.ts";
import { described } from "../engine/architectures.ts";
import { FAR_FEWER, SLIGHT, tracks } from "../engine/criteria.ts";
import { type ClaimOf, defineExperiment } from "../engine/define.ts";
import type { PlannedTest } from "../engine/experiment.ts";
import { A, OWN_QUESTION } from "../engine/sources.ts";
import { TRACKER } from "../repl/expected.ts";
import { type HeadlineSettings, headlinePlan, settings } from "./headline.ts";
import {
  agrees,
  componentsOverOthers,
  type Found,
  foundIn,
  isLost,
  leftWithout,
  lostWithout,
  othersLose,
  range,
  windowed,
} from "./interpret-found.ts";
import { betaAlongLine, heads, keyVariance, measureHeads, NEAR_2, wholeModel } from "./interpret-heads.ts";
import { ablationView, betaView, keysView } from "./interpret-views.ts";

const source = `${A}, Fig. 5`;
const published: ClaimOf<unknown>[] = [
  {
    source,
    statement: "One head holds beta at 2 on every command",
    published: 2,
    here: "mean beta at the token of a command where it is largest, of the head where that is largest",
    unit: "number",
    measure: (result) => foundIn(result).map(({ heads }) => heads[0].beta),
  },
  {
    source: OWN_QUESTION,
    statement: "... the next head by the same measure",
    unit: "number",
    measure: (result) => foundIn(result).flatMap(({ heads }) => heads[1]?.beta ?? []),
  },
  {
    source: OWN_QUESTION,
    statement: "Ablating that head destroys tracking",
    here: "accuracy without it less that of the windowed filter: at most 0 agrees",
    measure: (result) => foundIn(result).map(({ heads, model }) => leftWithout(heads[0]) - windowed(model)),
  },
  {
    source: OWN_QUESTION,
    statement: "... the most that ablating any other one head costs",
    here: "at zero or at its mean, whichever costs more",
    measure: (result) => foundIn(result).flatMap((found) => othersLose(found) ?? []),
  },
  {
    source,
    statement: "Its keys need far fewer principal components than those of other heads",
    here: "components for 99 % of their variance, over the mean of the other heads: below 1 is fewer, and how few is far fewer is not published",
    unit: "number",
    measure: (result) => foundIn(result).flatMap((found) => componentsOverOthers(found) ?? []),
  },
];

export const interpret = defineExperiment<HeadlineSettings>({
  name: "interpret",
  question: "How does DeltaNet [-1,1] track: which of its heads does it, and by what?",
  about: "which head of a tracker tracks, and by what (asks the headline's models)",
  publishedIn: "A, Fig. 5",
  models: described([TRACKER]),
  settings,
  published: published.map((claim) => ({ ...claim, models: [TRACKER] })),
  trainedBy: "headline",
  measurements: [wholeModel, heads, betaAlongLine, keyVariance],
  measureRun: measureHeads,

  plan(setup, seeds) {
    const plan = headlinePlan(setup, seeds);
    // Four times as long as trained: there every seed of the headline still answers, so that there is something to lose.
    const isRead = ({ change }: PlannedTest) => Number(change.commands) <= 4 * setup.commands;
    return {
      ...plan,
      runs: plan.runs
        .filter(({ model }) => model === TRACKER)
        .map((run) => ({ ...run, tests: run.tests.filter(isRead).slice(-1) })),
    };
  },

  findings: (result) => foundIn(result).flatMap(findingsOf),

  report(result) {
    const found = foundIn(result);
    const agreeing = found.filter(agrees).length;
    const test = result.results[0]?.tested.name ?? "";
    const most = found
      .flatMap((each) => othersLose(each) ?? [])
      .toSorted((a, b) => a - b)
      .at(-1);
    const over = (value: (each: Found) => number) => range(found.map(value), percentSign);
    return {
      title: found.every(({ model }) => !tracks.met(model.accuracy))
        ? `The model is right in ${over(({ model }) => model.accuracy)} at ${test}, so nothing is shown of what its heads do`
        : `In ${agreeing} of ${counted(found.length, "seed")} tracking is gone without one head with beta near 2, and silencing any other one costs less than ${points(SLIGHT)}`,
      lead: `At ${test} (commands/commands per reveal) the whole model is right in ${over(({ model }) => model.accuracy)}, without the head whose beta is largest in ${over(({ heads }) => leftWithout(heads[0]))}; a filter that sees only the last ${counted(result.window ?? 0, "command")} is in ${over(({ model }) => windowed(model))}.${most === undefined ? "" : ` With any other one head silenced, at zero or at its mean, at most ${points(most)} are lost.`}`,
      views: [betaView(result, found), ablationView(found), keysView(result, found)],
      untabled: [betaAlongLine.id, keyVariance.id],
      table: {
        table: {
          columns: ["seed", "head", "beta", "components", "accuracy without", "whole", "windowed"],
          rows: found.flatMap(({ seed, heads, names, model }) =>
            heads.map((head, i) => [
              i === 0 ? String(seed) : "",
              names[i],
              head.beta.toFixed(3),
              String(head.components99),
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
    };
  },
});

function findingsOf(found: Found): string[] {
  const { seed, model, heads, names } = found;
  const [first] = heads;
  const near = heads.filter(({ beta }) => beta > NEAR_2).length;
  const left = leftWithout(first);
  const costly = heads.flatMap((head, i) => (i > 0 && lostWithout(head) >= SLIGHT ? [i] : []));
  const share = componentsOverOthers(found) ?? 0;
  const said: [boolean, string][] = [
    [!tracks.met(model.accuracy), `the model itself is right in ${percentSign(model.accuracy)} only`],
    [
      near === 0,
      `no head has a mean beta above ${NEAR_2} at any token of a command (${first.beta.toFixed(3)})`,
    ],
    [near > 1, `${near} heads have a mean beta above ${NEAR_2} at a token of a command`],
    [
      !isLost(left, model),
      `without head ${names[0]}, whose beta is largest, the model is still right in ${percentSign(left)}, where the windowed filter is in ${percentSign(windowed(model))}`,
    ],
    ...costly.map((i): [boolean, string] => [
      true,
      `silencing head ${names[i]} alone costs ${points(lostWithout(heads[i]))}`,
    ]),
    [
      share > FAR_FEWER,
      `the keys of head ${names[0]} need ${first.components99} principal components for 99 %, ${share.toFixed(2)} times as many as those of others, where far fewer are published`,
    ],
  ];
  return said.flatMap(([holds, sentence]) => (holds ? [`Seed ${seed}: ${sentence}.`] : []));
}
