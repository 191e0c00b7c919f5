/**
 * @file The zoo: architectures by tasks, what theory predicts and what was measured; each cell opens.
 *
 *     #/zoo?row=deltanet&column=s3-swaps
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { columns, rows } from "../../experiments/zoo/data.ts";
import { classes, mixerClass, predictionBasis } from "../../experiments/zoo/predictions.ts";
import {
  columnLabel,
  gradedCells,
  gradedTable,
  isSolved,
  type Place,
  placeName,
  rowLabel,
  scaleRule,
  shareOf,
  signs,
  tablePlaces,
  tallied,
  verdictWords,
} from "../../experiments/zoo/table.ts";
import { duration, formatCount, integer, percentSign } from "../../src/core/format.ts";
import type { ZooCell } from "../../src/schemas/zoo.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, writeAddress } from "../address.ts";
import { Sources } from "../parts/components.tsx";
import { listColumns, SummaryTable } from "../parts/records.tsx";

type Kind = "solved" | "unsolved" | "contradicted" | "open" | "not-run";

/** By what was measured: a cell that a run solved, and one that none can solve, are never of one colour. */
function kindOf({ cell, standing }: Place): Kind {
  if (cell === undefined || standing === undefined) return "not-run";
  if (standing.verdict === "contradicted") return "contradicted";
  if ([...cell.runs, ...cell.grid].some(isSolved)) return "solved";
  return standing.verdict === "cannot" ? "unsolved" : "open";
}

const kinds: Readonly<Record<Kind, { readonly sample: string; readonly words: string }>> = {
  solved: { sample: "+ 5/5", words: "a run solved it" },
  unsolved: { sample: "\u2212 0/5", words: "as predicted: a run fits its training data, none solved it" },
  contradicted: { sample: "\u2212 5/5", words: "predicted unsolvable, but a run solved it" },
  open: { sample: "0/5", words: "inconclusive: no run solved it" },
  "not-run": { sample: "+", words: "not run" },
};

export function View({ settings }: ViewProps) {
  const [cells, setCells] = useState<readonly ZooCell[] | string>();
  useEffect(() => {
    fetch("zoo.json")
      .then((response) => response.json())
      .then(
        (said) => setCells(said.cells),
        (error) => setCells(String(error)),
      );
  }, []);
  if (typeof cells === "string")
    return <p role="alert">The measurements could not be loaded ({cells}). Reload the page.</p>;
  const places = tablePlaces(cells ?? []);
  const { predicted, run, held, contradicted, open } = tallied(places);
  const chosen = places.flat().find(({ row, column }) => row === settings.row && column === settings.column);
  return (
    <>
      <h1>State tracking by architecture and task: predicted and measured</h1>
      <p class="lead">
        Each cell predicts, before its first run, whether the architecture solves the task at any length (+)
        or cannot (−).{" "}
        {cells === undefined
          ? ""
          : run === 0
            ? `None of ${predicted} predictions is tested yet.`
            : `Of ${formatCount(run, "tested prediction")}, ${held} match, ${contradicted} ${contradicted === 1 ? "is" : "are"} contradicted and ${open} are inconclusive.`}
      </p>
      <p>
        Why: the transition of a token must act on the memory as the token acts on the state. Eigenvalues in
        [0, 1] only shrink it; −1 flips a sign, complex pairs rotate, products of reflections permute.
      </p>
      <ul class="legend">
        {Object.entries(kinds).map(([kind, { sample, words }]) => (
          <li key={kind}>
            <span class="matrix" aria-hidden="true">
              <span class={`sample ${kind}`}>{sample}</span>
            </span>
            {words}
          </li>
        ))}
        <li>k/n: seeds that solved it</li>
        <li>•: weights set by hand solve it</li>
      </ul>
      <div class="card scroll">
        <Matrix places={places} chosen={chosen} />
      </div>
      {chosen === undefined ? (
        <p class="muted">Select a cell for its prediction and its runs.</p>
      ) : (
        <Opened key={placeName(chosen)} place={chosen} />
      )}
      {gradedCells(typeof cells === "object" ? cells : []).map(({ column, cells: own }) => (
        <Graded key={column} column={column} cells={own} />
      ))}
      <Sources>
        <p>
          Solved: at least 99 % accuracy at the longest trained length and 95 % at four times that length, on
          the last answer. The learning rate is the best of three on two other seeds.
        </p>
        <p>
          The architectures share one training configuration: one layer of width 32, or two for tasks that say
          so. Rows: <code>evidence/zoo</code>; command: <code>statelab reproduce zoo --seeds 5</code>.
        </p>
      </Sources>
    </>
  );
}

function Matrix(props: {
  readonly places: readonly (readonly Place[])[];
  readonly chosen: Place | undefined;
}) {
  const { places, chosen } = props;
  return (
    <table class="matrix">
      <thead>
        <tr>
          <th scope="col">architecture</th>
          {places[0].map(({ column }) => (
            <th key={column} scope="col">
              {columns[column]?.short ?? columnLabel(column)}
            </th>
          ))}
          <th scope="col" class="class">
            transition
          </th>
        </tr>
      </thead>
      <tbody>
        {places.map((line) => (
          <tr key={line[0].row}>
            <th scope="row">{rowLabel(line[0].row)}</th>
            {line.map((place) => (
              <td key={place.column}>
                <button
                  type="button"
                  class={kindOf(place)}
                  aria-pressed={
                    place.row === chosen?.row && place.column === chosen.column ? "true" : "false"
                  }
                  onClick={() => setSettings({ row: place.row, column: place.column })}
                >
                  {place.prediction === undefined ? "?" : signs[place.prediction]}{" "}
                  {place.standing === undefined ? "" : `${place.standing.solved}/${place.standing.of}`}
                  {place.constructed && (
                    <span class="by-hand" aria-hidden="true">
                      •
                    </span>
                  )}
                  <span class="unseen">
                    {placeName(place)}: {kinds[kindOf(place)].words}
                    {place.constructed && ", and weights set by hand solve it"}
                  </span>
                </button>
              </td>
            ))}
            <td class="class">{mixerClass[line[0].row] ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A task whose prediction is an order, a line an architecture. */
function Graded({ column, cells }: { readonly column: string; readonly cells: readonly ZooCell[] }) {
  const { columns: names, rows: lines } = gradedTable(column, cells);
  const heading = `${columns[column].programs!.heading}: ${columnLabel(column)}`; // of a graded one
  return (
    <section aria-label={columnLabel(column)}>
      <h2>{heading}</h2>
      <p>
        Task: {columns[column].summary}. {scaleRule(column)}
      </p>
      <SummaryTable
        label={heading}
        first={names[0]}
        name={([architecture]) => architecture}
        rows={lines}
        columns={listColumns(names.slice(1))}
      />
    </section>
  );
}

function Opened({ place }: { readonly place: Place }) {
  const { row, column, prediction, constructed, cell, standing } = place;
  const kind = mixerClass[row];
  const own = useRef<HTMLElement>(null);
  useEffect(() => own.current?.scrollIntoView({ block: "start" }), []);
  return (
    <section ref={own} aria-label={placeName(place)}>
      <h2>{placeName(place)}</h2>
      <p>
        {columns[column] === undefined ? "" : `Task: ${columns[column].summary}. `}
        {rows[row] === undefined ? "" : `Architecture: ${rows[row].summary}.`}
      </p>
      <p>
        {prediction === undefined || kind === undefined
          ? "No prediction."
          : `${columns[column].layers === 2 ? "Two layers" : "One layer"}, any length: ${predictionBasis(prediction, constructed)}. Transition class: ${kind} (${classes[kind]}).`}
        {constructed && " Weights set by hand solve it at length 1,000."}
      </p>
      {cell === undefined || standing === undefined ? (
        <p class="muted">Not run.</p>
      ) : (
        <>
          <p>
            <strong>
              {shareOf(standing)} seeds solved it: {verdictWords[standing.verdict]}.
            </strong>{" "}
            Accuracy on the last of 64 words: median {percentSign(standing.median)}, best{" "}
            {percentSign(standing.best)}.
          </p>
          <p class="muted">
            Learning rate {cell.rate}, {integer(cell.parameters)} parameters, state of{" "}
            {formatCount(cell.state, "number")}, {duration(cell.seconds)} per run, {cell.date.slice(0, 10)}.
          </p>
          <Runs cell={cell} chance={columns[column]?.chance} />
        </>
      )}
      <Live place={place} />
      <p>
        <code>
          statelab reproduce zoo --only {row} --tasks {column} --seeds 5
        </code>
      </p>
    </section>
  );
}

/** The other side of a live training: what the theory of these tasks is about. */
const RIVALS = ["deltanet", "deltanet-positive"] as const;
/** A page is patient for so many steps. */
const LIVE_STEPS = 800;

/** The cell trained in the page, by its own settings, next to an architecture of the other kind. */
function Live({ place: { row, column, cell } }: { readonly place: Place }) {
  if (rows[row] === undefined || columns[column] === undefined) return null; // a row of the user's own
  const rival = RIVALS.find((name) => name !== row) ?? RIVALS[0];
  const settings = {
    ...{ task: `zoo-${column}`, left: row, right: rival },
    ...(cell !== undefined && { rate: String(cell.rate), seed: String(cell.runs[0]?.seed ?? 0) }),
  };
  return (
    <p>
      <a href={writeAddress({ view: "train", settings })}>Train it here</a> beside {rowLabel(rival)},{" "}
      {formatCount(columns[column].steps, "step")}
      {columns[column].steps > LIVE_STEPS ? " (some minutes)" : ""}.
    </p>
  );
}

function Runs({ cell, chance }: { readonly cell: ZooCell; readonly chance: number | undefined }) {
  return (
    <SummaryTable
      label="Runs"
      caption={`Accuracy on the last answer of 300 held-out words${chance === undefined ? "" : `; chance is ${percentSign(chance)}`}`}
      first="seed"
      name={(run) => `${run.seed}${cell.runs.includes(run) ? "" : " (grid)"}`}
      rows={[...cell.runs, ...cell.grid]}
      columns={[
        { title: "learning rate", cell: ({ rate }) => rate },
        { title: "16 words", cell: ({ trained }) => percentSign(trained) },
        { title: "64 words", cell: ({ longer }) => percentSign(longer) },
        { title: "solved", cell: (run) => (isSolved(run) ? "yes" : "no") },
      ]}
    />
  );
}
