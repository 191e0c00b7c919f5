/** @file What the zoo's page and terminal say: the matrix, every cell, and each prediction that did not hold. */

import type { ExperimentResult } from "../../src/records/result.ts";
import type { ZooCell } from "../../src/records/zoo.ts";
import {
  counted,
  type ExperimentWords,
  listed,
  percentSign,
  predictionsFigure,
} from "../../src/report/index.ts";
import { columns } from "./columns.ts";
import { gradedFindings, gradedOf, gradedTable, guessOf, ruleOf } from "./graded.ts";
import { basisOf } from "./predictions.ts";
import {
  cellTable,
  columnLabel,
  figureOf,
  matrixTable,
  type Place,
  placeName,
  placesOf,
  rowLabel,
  tallied,
  triedOf,
} from "./table.ts";
import { ENOUGH, hasLearned, isSolved, SOLVED } from "./verdict.ts";

const percentOf = (share: number) => `${Math.round(100 * share)}\u00A0%`;
/** What counts, for every page. */
export const RULE = `Solved: at least ${percentOf(SOLVED.trained)} of the last answers at the longest trained length (of 3 or 4 words of the very ones that were trained, as no others are left), and ${percentOf(SOLVED.longer)} at four times that. Seeds with exact 95\u00A0% bounds; median and best are at four times the length. "Cannot" only where theory says so, a run has learned the trained length, and none of at least ${ENOUGH} over all learning rates has solved it; "can" where a run has, or weights set by hand do; not solved is what a run has learned and none has solved, not learned what none has learned: neither shows more.`;

/** The share of predictions that held, of the cells that were run. */
export function heldShare(cells: readonly ZooCell[]): number[] {
  const { run, held } = tallied(placesOf(cells));
  return run === 0 ? [] : [held / run];
}

/** A sentence for each prediction that did not hold, or holds by weights set by hand alone. */
export function zooFindings(cells: readonly ZooCell[]): string[] {
  const places = placesOf(cells);
  return [...places.flat().flatMap(findingOf), ...unlearned(places), ...gradedFindings(cells)];
}

/** Enough runs, and none of them learned what it was trained on. */
const isUnlearned = ({ prediction, cell, standing }: Place) =>
  prediction === "cannot" &&
  standing?.verdict === "not learned" &&
  [...cell!.runs, ...cell!.grid].length >= ENOUGH;

/** One sentence for all where theory says that it cannot and no run learned even the trained length. */
function unlearned(places: readonly (readonly Place[])[]): string[] {
  const lines = places.flatMap((line) => {
    const own = line.filter(isUnlearned);
    return own.length === 0
      ? []
      : [`${rowLabel(own[0].row)} (${own.map(({ column }) => columnLabel(column)).join(", ")})`];
  });
  if (lines.length === 0) return [];
  const count = places.flat().filter(isUnlearned).length;
  return [
    `In ${counted(count, "cell")} theory says it cannot, and no run learned even the trained length, which agrees and shows no more: ${lines.join("; ")}.`,
  ];
}

function findingOf(place: Place): string[] {
  const { prediction, cell, standing } = place;
  if (prediction === undefined || cell === undefined || standing === undefined) return [];
  const { verdict, solved, of, best } = standing;
  const all = [...cell.runs, ...cell.grid];
  const not = all.some(hasLearned) ? "not solved" : "not learned";
  if (verdict === prediction) {
    if (verdict === "cannot" || all.some(isSolved)) return [];
    return [
      `${placeName(place)}: it can, by weights set by hand; ${not} here in ${counted(all.length, "run")}, ${percentSign(best)} at four times the length at best.`,
    ];
  }
  const seeds = `${solved} of ${counted(of, "seed")}`;
  if (verdict === "contradicted")
    return [
      `${placeName(place)}: theory says it cannot, and ${seeds} solved it (${all.filter(isSolved).length} of ${all.length} runs with the grid).`,
    ];
  if (isUnlearned(place)) return []; // told together
  if (prediction === "can")
    return [
      `${placeName(place)}: ${basisOf(prediction, place.constructed)}; ${not} here in ${counted(all.length, "run")}, ${percentSign(best)} at four times the length at best.`,
    ];
  return [
    `${placeName(place)}: theory says it cannot; ${counted(all.length, "run")} without one that solved it are too few to agree.`,
  ];
}

export function zooTitle(places: readonly (readonly Place[])[]): string {
  const { predicted, run, held, contradicted, open } = tallied(places);
  if (run === 0) return `None of ${predicted} predictions has been tried`;
  return `Of ${counted(run, "prediction")} that were tried, ${held} held, ${contradicted} ${contradicted === 1 ? "is" : "are"} contradicted and ${open} left open`;
}

export function zooWords(result: ExperimentResult, cells: readonly ZooCell[]): ExperimentWords {
  const places = placesOf(cells);
  const { predicted, run } = tallied(places);
  const tried = triedOf(places);
  const shown = tried.length === 0 ? places : tried; // of a few cells these alone
  const figure = figureOf(shown);
  return {
    title: zooTitle(places),
    lead: `${RULE} ${predicted - run} of ${predicted} predictions have not been tried in this result.`,
    brief: true,
    views: [
      {
        heading: "Predicted and measured",
        text: 'The sign is the prediction of what one layer (two where the task says so) can hold at any length, each column\'s before its first run; the number how many seeds solved it. "Cannot" follows from theory, and so does "can" where weights are set by hand; the other "can" are expected.',
        caption:
          "The darker, the more seeds. Orange and framed: against the prediction. Dashed: not learned here, which shows no more. A point: not run. A dot in the corner: weights set by hand solve it.",
        figures: [{ kind: "drawing", title: figure.title, drawing: predictionsFigure(figure) }],
      },
      {
        heading: "Every cell",
        text: `Each at the best of three learning rates, chosen on seeds that are not reported. State: numbers that the layer carries from word to word (of attention, at the longest test). Seconds: median of one training, of one core of this machine.`,
        caption: `Result of ${result.date}.`,
        figures: [],
        table: cellTable(places),
        words: 4,
      },
      ...gradedOf(cells).map(({ column, cells: own }) => ({
        heading: `${columns[column].programs!.heading}: ${columnLabel(column)}`, // of a graded one
        text: ruleOf(column),
        caption: `The task: ${columns[column].summary}. Median, lowest and highest of the reported seeds; ${guessOf(column)}.`,
        figures: [],
        table: gradedTable(column, own),
        words: 4,
      })),
    ],
    untabled: ["cell", "taught"],
    table: terminalTable(tried, gradedOf(cells)),
  };
}

/** Of the cells that were run the states; where none of those is, the first graded task. What else there is stands in the page. */
function terminalTable(
  tried: readonly (readonly Place[])[],
  graded: ReturnType<typeof gradedOf>,
): NonNullable<ExperimentWords["table"]> {
  const [first, ...further] = graded;
  const others = (left: typeof graded) =>
    left.length === 0
      ? []
      : [`  in the page  ${listed(left.map(({ column }) => columnLabel(column)))}, a table each`];
  if (tried.length === 0 && first !== undefined)
    return {
      table: gradedTable(first.column, first.cells),
      legend: [
        `  ${columnLabel(first.column)}; predicted: 1 is best; median, lowest and highest of the seeds`,
        ...others(further),
      ],
    };
  return {
    table: matrixTable(tried),
    legend: [
      "  + predicted that it can, \u2212 that it cannot; then seeds that solved it, of the reported ones",
      `  solved       ${percentOf(SOLVED.trained)} of the last answers at the trained length, ${percentOf(SOLVED.longer)} at four times that`,
      ...others(graded),
    ],
  };
}
