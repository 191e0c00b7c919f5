/**
 * @file The report of the headline experiment: a result in, one HTML page or one SVG figure out.
 *
 * Order: the verdict, the main figure, what the task looks like, the numbers, where each model breaks, how each learned,
 * what was published, what disagrees, how to run it again, what the words mean.
 */

import { counted, duration, integer, percent, percentSign } from "../core/format.ts";
import type { ExperimentResult } from "../schemas/experiment-result.ts";
import { accuracyTables, headlineTable, swatch } from "./accuracy-table.ts";
import { grouped, type ModelSummary, type Summary, summarize } from "./aggregate.ts";
import { conditionsFigure, conditionsSvg, describe } from "./figures/conditions.ts";
import { conditionsWithPositions, revealsFigure } from "./figures/reveals.ts";
import { cellAt, fallsBehind, standing, standingShort, verdict } from "./findings.ts";
import { page, section } from "./html.ts";
import { plainTable } from "./measurements.ts";
import type { Report } from "./report.ts";
import {
  againSection,
  findingsSection,
  labelOf,
  smokeBanner,
  sourced,
  taskSection,
  titleOf,
  trainingSection,
} from "./sections.ts";
import { element, type Markup } from "./svg.ts";

export { headlineTable } from "./accuracy-table.ts";

export function headlineReportOf(result: ExperimentResult): Report {
  const { window, chance } = summarize(result);
  return {
    page: headlineReport(result),
    figures: { [result.experiment]: headlineFigure(result) },
    table: headlineTable(result),
    legend: [
      "  test         commands/commands per reveal; * longer or sparser than anything trained on",
      "  accuracy     percent of all revealed values named; last: of the last in each program",
      `  scaled       accuracy with guessing (${(100 * chance).toFixed(1)} %) at 0 and no mistake at 100`,
      "  exact        the best that can be known from the whole program",
      `  windowed     the best from the last ${window} commands; no boundary: without the reveal just before them`,
      "  holds        within 5 points of exact",
    ],
  };
}

/** One self-contained HTML file. Raises a LabError where the result holds no row, or a sample whose reveals lie outside of it. */
export function headlineReport(result: ExperimentResult): string {
  const summary = summarize(result);
  const { title: found, lead, caution } = verdict(summary);
  const title = titleOf(result, found);
  return page({
    title: `${title} \u00B7 Statelab`,
    description: lead,
    body: [
      element(
        "main",
        {},
        element(
          "header",
          {},
          element(
            "p",
            { class: "eyebrow" },
            `Statelab \u00B7 ${result.experiment} \u00B7 ${result.scale} scale \u00B7 ${counted(result.seeds.length, "seed")}`,
          ),
          element("h1", {}, `${title}.`),
          element("p", { class: "lead" }, lead),
          caution === undefined ? null : element("p", { class: "caution" }, caution),
          smokeBanner(result),
        ),
        mainFigure(summary),
        taskSection(result),
        numbers(summary),
        breaking(summary),
        took(result),
        trainingSection(result, {
          strips: "k, the rarest reveals trained so far",
          caption:
            "Running accuracy (%) on the reveals of the training batches. The strip shows the stages of the curriculum. Accuracy dips where a harder one begins.",
        }),
        published(result, summary),
        findingsSection(result),
        againSection(result),
        glossary(summary),
      ),
    ],
  });
}

/** The main figure as an SVG file that stands alone, light or dark by itself. */
export function headlineFigure(result: ExperimentResult): string {
  const summary = summarize(result);
  return conditionsSvg(summary, titleOf(result, verdict(summary).title));
}

function mainFigure(summary: Summary): Markup {
  const drawing = (width: number, name: string) => {
    const { height, content } = conditionsFigure(summary, width);
    return element(
      "svg",
      {
        class: `fig ${name}`,
        viewBox: `0 0 ${width} ${Math.ceil(height)}`,
        role: "img",
        "aria-label": describe(summary),
      },
      content,
    );
  };
  return section(
    "Who tracks",
    element(
      "figure",
      {},
      element("div", { class: "card" }, drawing(900, "wide"), drawing(350, "narrow")),
      element(
        "figcaption",
        {},
        "Share of revealed values predicted right, of the whole vocabulary, on programs never seen in training. " +
          `A model holds a test when it is within 5 points of the exact filter; ${summary.hardest.key} means ` +
          `${counted(summary.hardest.commands, "command")} with a reveal every ${summary.hardest.spacing}. ` +
          "Only a point clearly above the grey shows a memory longer than the window. " +
          "All are trained on the revealed values alone; the published claim is about next-token prediction (statelab reproduce repl-losses).",
      ),
    ),
  );
}

function numbers(summary: Summary): Markup {
  const several = summary.models.some(({ seeds }) => seeds.length > 1);
  return section(
    "The numbers",
    element(
      "p",
      {},
      "Accuracy over all reveals and at the last reveal of each program; scaled: (accuracy \u2212 chance) / (1 \u2212 chance). " +
        "All numbers are percent. Bold: within 5 points of the exact filter in every seed" +
        (several ? "; small: lowest to highest seed." : "."),
    ),
    element("div", { class: several ? "tables several" : "tables" }, accuracyTables(summary)),
  );
}

function breaking(summary: Summary): Markup {
  const positions = conditionsWithPositions(summary);
  const figures = positions.map((condition) =>
    element("div", { class: "card" }, revealsFigure(summary, condition)),
  );
  return section(
    "Where each one breaks",
    element(
      "ul",
      { class: "plain" },
      summary.models.map((model) =>
        element(
          "li",
          {},
          swatch(model.index),
          " ",
          element("strong", {}, model.label),
          ": ",
          standing(model, summary),
          " ",
          fallsBehind(model, positions, summary.conditions),
        ),
      ),
    ),
    figures.length === 0
      ? element(
          "p",
          { class: "muted" },
          "Each tested program reveals its state once, so there is no position to compare.",
        )
      : element(
          "figure",
          {},
          element("div", { class: "grid" }, figures),
          element(
            "figcaption",
            {},
            "Accuracy (%) along the program. Grey: the windowed filter. With several seeds: thin lines are seeds, the strong line their mean, the band lowest to highest.",
          ),
        ),
  );
}

/** Each model's own budget, and the last lesson to which it came. */
function took(result: ExperimentResult): Markup {
  const curves = result.training.filter(({ points }) => points.length > 0);
  const over = (values: readonly number[], written: (value: number) => string) => {
    const [low, high] = [Math.min(...values), Math.max(...values)].map(written);
    return low === high ? low! : `${low} to ${high}`;
  };
  const rows = [...grouped(curves, ({ model }) => model)].map(([name, own]) => {
    const batches = own.flatMap(({ batch }) => batch ?? []);
    return [
      labelOf(result, name),
      over(
        own.map(({ parameters }) => parameters),
        integer,
      ),
      batches.length === 0
        ? ""
        : over(
            own.map(({ steps }, i) => steps * batches[i]!),
            integer,
          ),
      over(
        own.map(({ seconds }) => seconds),
        duration,
      ),
      over(
        own.map(({ learningRate }) => learningRate),
        String,
      ),
      [...new Set(own.map(({ points }) => points.at(-1)!.stage))].join("; "),
    ];
  });
  const columns = ["model", "parameters", "programs", "time of one core", "learning rate", "last stage"];
  return section(
    "What it took",
    element(
      "p",
      {},
      "Each model is trained by its own recipe: of one space of curricula, rates, schedules, batches, losses and shapes, the same for all, " +
        "the best on a seed that no result uses. A stage is named by the hardest of its programs: the commands per reveal, full where all " +
        "variables are printed.",
    ),
    element("div", { class: "card" }, plainTable({ columns, rows })),
  );
}

function published(result: ExperimentResult, summary: Summary): Markup {
  const statements = result.claims.map(({ source, statement, published: value }) =>
    element(
      "li",
      {},
      statement,
      value === undefined
        ? null
        : [" Value: ", element("data", { value: String(value) }, String(value)), "."],
      " ",
      element("span", { class: "muted" }, "(", sourced(source), ")"),
    ),
  );
  return section(
    "Published, and here",
    element(
      "div",
      { class: "pair" },
      element(
        "div",
        {},
        element("h3", {}, "Published"),
        statements.length === 0
          ? element("p", { class: "muted" }, "Nothing published is recorded for this experiment.")
          : element("ul", {}, statements),
      ),
      element(
        "div",
        {},
        element("h3", {}, `Here, at ${result.scale} scale`),
        element(
          "ul",
          {},
          summary.models.map((model) =>
            element("li", {}, element("strong", {}, model.label), ": ", hereOf(model, summary)),
          ),
        ),
      ),
    ),
  );
}

/** One model in one line, in the terms that papers use. */
function hereOf(model: ModelSummary, { conditions, hardest }: Summary): string {
  const cell = cellAt(model, hardest);
  const outcome = standingShort(model, conditions);
  if (cell === undefined) return `${outcome}.`;
  return `${percentSign(cell.accuracy.mean)} at ${hardest.key}, scaled ${percent(cell.scaled.mean)}; ${outcome}.`;
}

function glossary(summary: Summary): Markup {
  const window = counted(summary.window, "command");
  const entries: readonly (readonly [string, string])[] = [
    ["Command", "A line that changes the state, such as a, b = b, a."],
    [
      "Reveal",
      "Output that shows a piece of the state: what a model must predict. Spacing: the number of commands for each reveal.",
    ],
    [
      "Accuracy",
      "The most likely entry of the whole vocabulary is the revealed value. Over all reveals, or only the last of each program.",
    ],
    [
      "Scaled accuracy",
      `(accuracy \u2212 chance) / (1 \u2212 chance): 0 is guessing (${percentSign(summary.chance)}), 100 is always right.`,
    ],
    [
      "Exact Bayes filter",
      "The best that anyone could do: it computes what follows from everything shown so far.",
    ],
    [
      "Windowed Bayes filter",
      `The best that a reader of only the last ${window} can do. It also sees every reveal among them and the one directly before them (the boundary reveal), not the initial values where they stand there; \u201Cno boundary\u201D leaves that reveal out.`,
    ],
    ["As trained", "Programs of this shape (not these programs) were in training."],
    [
      "Curriculum",
      "Training starts with the densest reveals and moves to rarer ones each time a model has learned those before. Which lessons there are is part of a model\u2019s recipe.",
    ],
    [
      "[\u22121,1], [0,1]",
      "The range of the eigenvalues of a linear recurrence\u2019s transition. Below 0 it can reflect, which is what a swap is; from 0 to 1 it can only shrink.",
    ],
  ];
  return section(
    "Words",
    element(
      "dl",
      {},
      entries.map(([term, meaning]) => [element("dt", {}, term), element("dd", {}, meaning)]),
    ),
  );
}
