/**
 * @file Runs with data workers: samples a second, staleness of the weights, waiting times, and the throughput with other bounds.
 *
 *     reward, seed 0    212 samples a second; the training waited 61 % of its time, its makers 4 %    would be:   1   2   4 makers
 *                       staleness 0.9 in the mean, 1 at most                            staleness 0         180 ...
 */

import {
  asyncDataSpan,
  type StreamSpan,
  type StreamStep,
  samplesWith,
  streamSpans,
} from "../analysis/async-data-stats.ts";
import type { Line } from "../analysis/figures.ts";
import { integer, percentSign } from "../core/format.ts";
import type { AsyncDataConfig } from "../schemas/run-config.ts";
import { numbersFigure } from "./figures/lines.ts";
import { cards, paragraph, plainTable, section } from "./html.ts";
import type { Markup } from "./svg.ts";

/** A run with `data.async`. */
export interface ReportedStream {
  readonly bounds: AsyncDataConfig;
  readonly steps: readonly StreamStep[];
}

export interface StreamedKind {
  readonly name: string;
  /** Chooses its colour. */
  readonly index: number;
  readonly runs: readonly {
    readonly seed: number;
    readonly batch: number;
    readonly stream: ReportedStream;
  }[];
}

const MAKERS = [1, 2, 4] as const;
const AHEAD = [1, 2, 4, 8, 16] as const;
const STALENESS = [0, 1, 2, 4, 8, 16] as const;
const dash = "\u2013";

/** null if no run has a stream with a step. */
export function streamSection(kinds: readonly StreamedKind[]): Markup | null {
  const fed = kinds.flatMap((kind) => {
    const runs = kind.runs.filter(({ stream }) => stream.steps.length > 0);
    return runs.length === 0 ? [] : [{ ...kind, runs }];
  });
  if (fed.length === 0) return null;
  const figures = [
    figure(fed, "samples a second", ({ samples }) => samples),
    figure(fed, "training: waited, % of its time", ({ waited }) => 100 * waited),
    figure(fed, "makers: waited, % of their time", ({ makerWaited }) => 100 * makerWaited),
    figure(fed, "staleness, steps", ({ staleness }) => staleness?.mean),
    figure(fed, "batches unread", ({ unread }) => unread),
  ];
  return section(
    "Throughput and staleness",
    cards(
      figures.filter((drawn) => drawn !== null),
      "Other processes made the examples (docs/how-to/cluster.md). Staleness: steps between the weights that made a batch and those trained on it. Each point is the mean over some steps.",
    ),
    measuredTable(fed),
    paragraph("Samples a second with other bounds, from the same times, by the number of data workers:"),
    boundsTable(fed),
  );
}

function figure(
  kinds: readonly StreamedKind[],
  title: string,
  of: (span: StreamSpan) => number | undefined,
): Markup | null {
  const lines = kinds.flatMap(({ name, index, runs }): Line[] => {
    const seeds = runs.flatMap(({ seed, batch, stream }) => {
      const points = streamSpans(stream.steps, batch).flatMap((span) => {
        const value = of(span);
        return value === undefined ? [] : [[span.step, value] as const];
      });
      return points.length === 0 ? [] : [{ seed, points }];
    });
    return seeds.length === 0 ? [] : [{ label: name, index, seeds }];
  });
  if (lines.length === 0) return null;
  return numbersFigure({ kind: "numbers", title, xLabel: "step", yLabel: "", lines });
}

function measuredTable(kinds: readonly StreamedKind[]): Markup {
  const columns = ["runs", "seed", "ahead", "staleness allowed", "mean", "most"];
  return plainTable({
    columns: [...columns, "samples a second", "training waited", "makers waited"],
    rows: kinds.flatMap(({ name, runs }) =>
      runs.map(({ seed, batch, stream: { bounds, steps } }) => {
        // The first step includes the start of the data workers.
        const { samples, waited, makerWaited, staleness } = asyncDataSpan(
          steps.length > 1 ? steps.slice(1) : steps,
          batch,
        );
        return [
          ...[name, String(seed), String(bounds.prefetch)],
          ...(staleness === undefined
            ? [dash, dash, dash]
            : [String(bounds.maxStaleness), staleness.mean.toFixed(2), String(staleness.max)]),
          ...[integer(Math.round(samples)), percentSign(waited), percentSign(makerWaited)],
        ];
      }),
    ),
  });
}

/** For the first seed of each kind. */
function boundsTable(kinds: readonly StreamedKind[]): Markup {
  return plainTable(
    {
      columns: ["runs", "bound", ...MAKERS.map((makers) => (makers === 1 ? "1 maker" : `${makers} makers`))],
      rows: kinds.flatMap(({ name, runs: [{ batch, stream }] }) => {
        const { bounds, steps } = stream;
        const within = (ahead: number, staleness: number | undefined) =>
          MAKERS.map((makers) =>
            integer(Math.round(samplesWith(steps, batch, { makers, ahead, staleness }))),
          );
        const asksWeights = steps.some(({ staleness }) => staleness !== undefined);
        return asksWeights
          ? STALENESS.map((allowed) => [
              ...[name, `staleness ${allowed}`],
              ...within(Math.max(bounds.prefetch, allowed + 1), allowed),
            ])
          : AHEAD.map((ahead) => [name, `ahead ${ahead}`, ...within(ahead, undefined)]);
      }),
    },
    2,
  );
}
