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
  unsolved: { sample: "\u2212 0/5", words: "a run learned its training, none solved it, as theory says" },
  contradicted: { sample: "\u2212 5/5", words: "theory says it cannot, and a run solved it" },
  open: { sample: "0/5", words: "no run solved it here, which shows no more" },
  "not-run": { sample: "+", words: "not run yet" },
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
    return <p role="alert">The measurements could not be loaded ({cells}). Reload the page to try again.</p>;
  const places = tablePlaces(cells ?? []);
  const { predicted, run, held, contradicted, open } = tallied(places);
  const chosen = places.flat().find(({ row, column }) => row === settings.row && column === settings.column);
  return (
    <>
      <h1>Which architecture can hold which state?</h1>
      <p class="lead">
        What one layer, or two where the task says so, is predicted to hold at any length (+) and what theory
        says it cannot (−), each task's before its first run.{" "}
        {cells === undefined
          ? ""
          : run === 0
            ? `None of ${predicted} predictions has been tried yet.`
            : `Of ${formatCount(run, "prediction")} that were tried ${held} held, ${contradicted} ${contradicted === 1 ? "is" : "are"} contradicted and ${open} left open.`}
      </p>
      <p>
        Why: a state is followed where the transition of a token can do to the memory what the token does to
        the state. A transition with eigenvalues in [0, 1] can only fade; −1 changes a sign, a complex pair
        turns, a product of reflections permutes.
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
        <li>•: weights that were set by hand solve it, so it can, learned or not</li>
      </ul>
      <div class="card scroll">
        <Matrix places={places} chosen={chosen} />
      </div>
      {chosen === undefined ? (
        <p class="muted">Choose a cell: what is predicted, why, and every run.</p>
      ) : (
        <Opened key={placeName(chosen)} place={chosen} />
      )}
      {gradedCells(typeof cells === "object" ? cells : []).map(({ column, cells: own }) => (
        <Graded key={column} column={column} cells={own} />
      ))}
      <Sources>
        <p>
          One layer of width 32 (two where the task says so), no short convolution, the same steps, batch and
          curriculum for all; words to 16 are trained, or to 3 or 4 where the task says so. Each cell takes
          the best of three learning rates on two seeds that are not reported. Solved: at least 99 % of the
          last answers at the longest trained length and 95 % at four times that. Every run is in the
          project's <code>evidence/zoo</code>; <code>statelab reproduce zoo --seeds 5</code> does them again.
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
        The task: {columns[column].summary}. {scaleRule(column)}
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
        {columns[column] === undefined ? "" : `The task: ${columns[column].summary}. `}
        {rows[row] === undefined ? "" : `The architecture: ${rows[row].summary}.`}
      </p>
      <p>
        {prediction === undefined || kind === undefined
          ? "Nothing is predicted of it."
          : `${columns[column].layers === 2 ? "Two layers" : "One layer"}: ${predictionBasis(prediction, constructed)} hold it at any length. The transition is of the class “${kind}” (${classes[kind]}).`}
        {constructed && " Weights that were set by hand solve it at length 1,000, so it can, learned or not."}
      </p>
      {cell === undefined || standing === undefined ? (
        <p class="muted">It has not been run yet.</p>
      ) : (
        <>
          <p>
            <strong>
              {shareOf(standing)} seeds solved it: {verdictWords[standing.verdict]}.
            </strong>{" "}
            At 64 words {percentSign(standing.median)} of the last answers in the median seed,{" "}
            {percentSign(standing.best)} in the best. Learning rate {cell.rate}, {integer(cell.parameters)}{" "}
            parameters, {formatCount(cell.state, "number")} of state, {duration(cell.seconds)} of training a
            run, {cell.date.slice(0, 10)}.
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
      <a href={writeAddress({ view: "train", settings })}>Try it live</a>: it is trained in this page as this
      cell was, beside {rowLabel(rival)}, {formatCount(columns[column].steps, "step")}
      {columns[column].steps > LIVE_STEPS ? ", which takes some minutes" : ""}.
    </p>
  );
}

function Runs({ cell, chance }: { readonly cell: ZooCell; readonly chance: number | undefined }) {
  return (
    <SummaryTable
      label="Every run"
      caption={`Every run: the last answers of 300 fresh words${chance === undefined ? "" : `; a guess has ${percentSign(chance)}`}`}
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
