/** @file The analysis by linear probes (`probe.ts`): where the state can be read, with two controls, and where it is lost. */

import { percentSign } from "../core/format.ts";
import { defineAnalysis, inSteps } from "./analysis.ts";
import type { Part } from "./figures.ts";
import {
  bestProbe,
  type Probe,
  type ProbeLabel,
  type ProbeScore,
  Probes,
  probeLabels,
  probeStates,
} from "./probe.ts";
import { ifHasGate, ifHasTap } from "./requirements.ts";

export const probes = defineAnalysis({
  name: "probes",
  found: Probes,
  needs: [ifHasTap("residual", "key", "value", "decay", "heads"), ifHasGate],
  measure: ({ recording, rng, steps }) => inSteps(probeStates(recording, rng), steps),
  part: (found) => (found.probes.length === 0 ? undefined : partOf(found)),
});

const words: Readonly<Record<ProbeLabel, string>> = {
  state: "the state",
  random: "shuffled labels",
  alternative: "another semantics",
};

function partOf({ probes, chance, agreement }: Probes): Part {
  const sites = [...new Set(probes.map(({ site }) => site))];
  const spots = [...new Set(probes.map(({ place }) => place))];
  const at = (site: string, place: number | undefined) =>
    probes.find((each) => each.site === site && each.place === place);
  const bests = sites.map((site) => bestProbe(probes.filter((each) => each.site === site)));
  const best = bestProbe(bests);
  const curves = bests
    .toSorted((a, b) => (b.selection ?? 0) - (a.selection ?? 0))
    .slice(0, 5)
    .filter(({ byCommands }) => byCommands.length > 1);
  return {
    heading: "Where the state can be read",
    how: [
      "A linear map (ridge regression) is asked for what each variable holds after the command, from what stands at each token of it: the residual after each layer, and, for heads with a delta rule, the memory itself. It is fitted on half of the programs; by a quarter the best place of reading is chosen, and on the last quarter all are scored.",
      "Two controls: the same labels shuffled, and the state that the program would have if commands meant what others do; which ones exchange their meaning is chosen so that this state agrees with the true one as by chance. The first says what such a map reads from noise, the second what it could compute by itself.",
    ],
    figures: {
      probes: {
        kind: "matrix",
        title: "Accuracy of the probe for the state (%)",
        rowLabel: "read from",
        columnLabel: "token of a command; asked: where the model must answer",
        rows: sites,
        columns: spots.map((place) => at(sites[0]!, place)?.token.trim() || "\\n"),
        cells: sites.map((site) =>
          spots.map((place) => {
            const score = at(site, place)?.scores.state;
            return score && 100 * score.accuracy;
          }),
        ),
        from: 100 * chance,
        to: 100,
        digits: 0,
      },
      ...(curves.length > 0 && {
        "probes-steps": {
          kind: "lines",
          title: "Where the state is lost",
          xLabel: "commands so far",
          scale: "linear",
          chance,
          lines: curves.map(({ site, byCommands }, index) => ({
            label: site,
            index,
            seeds: [{ seed: 0, points: byCommands }],
          })),
        },
      }),
    },
    caption: `Test accuracy per variable; a guess is right in ${percentSign(chance)}. Below: by the number of commands, for each place of reading its best token.`,
    table: {
      columns: ["read from", "at token", ...probeLabels.map((label) => words[label])],
      rows: bests.map(({ site, place, token, scores }) => [
        site,
        place === undefined ? "where asked" : `${place}: ${token.trim() || "\\n"}`,
        ...probeLabels.map((label) => scoreText(scores[label])),
      ]),
    },
    meaning: meaningOf(best, bests),
    caution: `For each row of the table the best token is shown, chosen by its accuracy on programs that no score here counts; the largest number of the matrix is in part the luckiest.${agreement === undefined ? "" : ` The other semantics agrees with the true one in ${percentSign(agreement)} of what variables hold.`} What a probe reads is there; whether the model uses it, only interventions show. Intervals (95 %) are over programs, whose rows are alike.`,
  };
}

const accuracy = ({ scores }: Probe) => scores.state?.accuracy ?? 0;

function scoreText(score: ProbeScore | undefined): string {
  if (score === undefined) return "\u2013";
  return `${percentSign(score.accuracy)} (${score.interval.map((each) => (100 * each).toFixed(1)).join(" to ")})`;
}

function meaningOf(best: Probe, bests: readonly Probe[]): string[] {
  const { scores, site } = best;
  const controls = probeLabels
    .filter((label) => label !== "state")
    .flatMap((label) => (scores[label] === undefined ? [] : [{ label, score: scores[label] }]));
  const above = controls.every(({ score }) => (scores.state?.interval[0] ?? 0) > score.interval[1]);
  const beside = controls
    .map(({ label, score }) => `${percentSign(score.accuracy)} for ${words[label]}`)
    .join(", ");
  const first = above
    ? `The state can be read from ${site} in ${percentSign(accuracy(best))}, against ${beside}: above both controls.`
    : `Even at its best place, ${site}, the probe (${percentSign(accuracy(best))}) is not above its controls (${beside}): no linear map of what was looked at holds the state.`;
  const residuals = bests.filter((each) => each.site.startsWith("residual") && each !== best);
  const memories = bests.filter((each) => each.site.startsWith("memory"));
  if (!above || memories.length === 0 || residuals.length === 0 || !site.startsWith("memory")) return [first];
  const residual = bestProbe(residuals);
  return [
    first,
    `The residual holds ${percentSign(accuracy(residual))} of it at best: the state lives in the memory of that head and is read only where it is asked for.`,
  ];
}
