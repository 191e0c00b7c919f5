/**
 * @file Where along a session is the state lost? Accuracy by the position of the reveal.
 *
 *     trained   64 commands, a reveal every 8 (laptop: 16 commands)
 *     tested    128 commands, a reveal every 16
 *
 * Expected: DeltaNet [-1,1] is right to the end; DeltaNet [0,1] and the Transformer are near the windowed reference from
 * the first reveal on. Source: A, arXiv:2602.14814, Fig. 4 left and teaser figure (read by eye).
 */

import { mean, scaledAccuracy } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import type { Experiment, PublishedClaim, Scale } from "../engine/experiment.ts";
import { asReference, byPosition, lines, rowsOf, settingsOf } from "../engine/views.ts";
import { extrapolationPlan, settings } from "./repl-extrapolation.ts";
import { replTest } from "./setup.ts";

const compared = ["deltanet[-1,1]", "deltanet[0,1]", "transformer"] as const;

/** The longest sessions with reveals twice as far apart as the widest ever trained. */
function testOf(scale: Scale) {
  const { testedCommands, spacings } = settings[scale];
  const commands = scale === "smoke" ? 8 : 128;
  return { commands: Math.min(commands, Math.max(...testedCommands)), spacing: 2 * Math.max(...spacings) };
}

const nameOf = (scale: Scale) => {
  const { commands, spacing } = testOf(scale);
  return `${commands}/${spacing}`;
};

/** Scaled accuracy at a position, for each seed the mean over settings. */
const at =
  (model: string, position: "first" | "last"): NonNullable<PublishedClaim["measure"]> =>
  (result) =>
    result.seeds.flatMap((seed) => {
      const rows = rowsOf(result, { model, test: nameOf(result.scale) }).filter((row) => row.seed === seed);
      if (rows.length === 0) return [];
      const share = ({ accuracyByReveal, tested }: ResultRow) =>
        scaledAccuracy(accuracyByReveal.at(position === "first" ? 0 : -1)!, tested.chance);
      return [mean(rows.map(share))];
    });

const last = ({ accuracyLast }: ResultRow) => accuracyLast;

/** Teaser figure: scaled accuracy at commands 16 and 112. */
const teaser = [
  ["deltanet[-1,1]", 1, 0.9],
  ["deltanet[0,1]", 0.25, 0.13],
  ["transformer", 0.25, 0.35],
] as const;

export const replPositions: Experiment = {
  name: "repl-positions",
  question: "Where along a Python session do sequence models lose its state?",
  about: "where along a session is it lost",
  publishedIn: "A, Fig. 4 left",
  models: described(compared),
  published: teaser.flatMap(([model, first, end]): PublishedClaim[] => {
    const { label } = architectures[model];
    const source = "A, arXiv:2602.14814, teaser figure, read by eye";
    return [
      {
        source,
        statement: `Scaled accuracy of ${label} at command 16 of 128, spacing 16`,
        published: first,
        here: "at the first reveal of the test, mean over groups",
        measure: at(model, "first"),
      },
      {
        source,
        statement: `Scaled accuracy of ${label} at command 112 of 128, spacing 16`,
        published: end,
        here: "at the last reveal of the test, mean over groups",
        measure: at(model, "last"),
      },
    ];
  }),

  plan(scale, seeds) {
    const { commands, spacings } = settings[scale];
    const test = testOf(scale);
    return extrapolationPlan(scale, seeds, (variables) => [
      ...spacings.map((spacing) => replTest(variables, commands, spacing, true)),
      replTest(variables, test.commands, test.spacing, false),
    ]);
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const widest = String(Math.max(...settings[result.scale].spacings));
    const stuck = result.training.flatMap(({ setting, model, seed, steps, points }) =>
      points.at(-1)?.stage === widest
        ? []
        : [
            `${setting}, ${model} (seed ${seed}): its curriculum ended at spacing ${points.at(-1)?.stage} after ${steps} steps.`,
          ],
    );
    const unexpected = rowsOf(result, { test: nameOf(result.scale) }).flatMap((row) => {
      const where = `${row.setting}, ${row.model} (seed ${row.seed}), last reveal: ${percentSign(last(row))}`;
      if (row.model === "deltanet[-1,1]")
        return last(row) < 0.9 ? [`${where}, below the expected 90 %.`] : [];
      const reference = asReference(row, "windowedBayes");
      return reference !== undefined && last(row) > last(reference) + 0.1
        ? [`${where}, more than 10 points above the windowed reference ${percentSign(last(reference))}.`]
        : [];
    });
    return [...unexpected, ...stuck];
  },

  report(result) {
    const test = nameOf(result.scale);
    const { commands, spacing } = testOf(result.scale);
    const ends = settingsOf(result).flatMap((setting) =>
      compared.flatMap((model) => {
        const rows = rowsOf(result, { setting, model, test });
        if (rows.length === 0) return [];
        return [`${architectures[model].label} ${percentSign(mean(rows.map(last)))} on ${setting}`];
      }),
    );
    const kept = compared.filter((model) => {
      const rows = rowsOf(result, { model, test });
      return rows.length > 0 && mean(rows.map(last)) >= 0.9;
    });
    const names = listed(kept.map((model) => architectures[model].label));
    const verb = kept.length === 1 ? "keeps" : "keep";
    return experimentReport(result, {
      title:
        kept.length === 0
          ? `No model keeps the state to command ${commands}`
          : `${kept.length < compared.length ? "Only " : ""}${names} ${verb} the state to command ${commands}`,
      lead: `At the last reveal of sessions with ${commands} commands, one every ${spacing}, mean over seeds: ${listed(ends)}.`,
      views: [
        {
          heading: "Accuracy along the session",
          text: "Scaled so that 0 is a uniform guess and 100 no mistake. Grey: what can be known from the last commands and the last reveal before them.",
          caption: "Strong line: mean over seeds; thin lines: seeds.",
          figures: settingsOf(result).map((setting) =>
            lines(result, {
              title: `${setting}, ${commands} commands, a reveal every ${spacing}`,
              xLabel: "commands run before the reveal (scaled accuracy)",
              scale: "linear",
              chance: 0,
              setting,
              points: byPosition(test, spacing),
            }),
          ),
        },
      ],
    });
  },
};
