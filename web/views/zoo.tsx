/**
 * @file The zoo: architectures by tasks, what theory predicts and what was measured; each cell and each row opens below itself.
 *
 *     #/zoo?row=deltanet&column=s3-swaps
 *     #/zoo?row=deltanet
 */

import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  columns,
  rows,
  settings as scales,
  twoLayerColumns,
  wordColumns,
} from "../../experiments/zoo/data.ts";
import { classes, mixerClass, predictionBasis } from "../../experiments/zoo/predictions.ts";
import {
  briefLabel,
  columnLabel,
  extended,
  gradedColumnsOf,
  gradedTable,
  lengthsOf,
  type Place,
  placeName,
  rowLabel,
  scaleRule,
  signs,
  tablePlaces,
  triedPlaces,
  verdictWords,
} from "../../experiments/zoo/table.ts";
import { duration, formatCount, integer } from "../../src/core/format.ts";
import type { GradedCell, ReachCell, ZooCell } from "../../src/schemas/zoo.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, writeAddress } from "../address.ts";
import { bringIntoView, Sources } from "../parts/components.tsx";
import { listColumns, SummaryTable } from "../parts/records.tsx";
import { asked, isServed, useApi } from "../server.ts";

type Kind = "far" | "middle" | "near" | "not-run";

/** How far it generalizes; the prediction has no part in it. */
function kindOf({ standing }: Place): Kind {
  if (standing === undefined) return "not-run";
  return standing.generalization >= 128 ? "far" : standing.generalization >= 16 ? "middle" : "near";
}

const kinds: Readonly<Record<Kind, { readonly sample: string; readonly words: string }>> = {
  far: { sample: "64→256", words: "right up to 128 symbols or more" },
  middle: { sample: "12→30", words: "up to 16 or more" },
  near: { sample: "6→8", words: "less" },
  "not-run": { sample: "+", words: "not run" },
};
const signWords = { can: "predicted solvable", cannot: "predicted unsolvable" } as const;

export function View({ settings }: ViewProps) {
  const [built, setCells] = useState<readonly ZooCell[] | string>();
  const ask = async () => (isServed() ? asked<{ readonly cells: readonly ZooCell[] }>("cells") : undefined);
  const { said } = useApi(ask, "cells");
  useEffect(() => {
    fetch("zoo.json")
      .then((response) => response.json())
      .then(
        (said) => setCells(said.cells),
        (error) => setCells(String(error)),
      );
  }, []);
  if (typeof built === "string")
    return <p role="alert">The measurements could not be loaded ({built}). Reload the page.</p>;
  const own = (said?.cells ?? []).filter(({ row }) => !Object.hasOwn(rows, row));
  const cells = built && [...built, ...own];
  const isBuiltIn = ([{ row }]: readonly Place[]) => Number(Object.hasOwn(rows, row));
  const ownFirst = (places: Place[][]) => places.toSorted((a, b) => isBuiltIn(a) - isBuiltIn(b));
  const places = ownFirst(tablePlaces(cells ?? []));
  const deep = ownFirst(triedPlaces(tablePlaces(cells ?? [], twoLayerColumns)));
  const { can, cannot } = extended(places);
  return (
    <>
      <p class="lead">
        4→6: right with 99 % up to 4 symbols as trained, with 90 % up to 6. The sign is the prediction before
        the first run: solvable at any length (+) or not (−).{" "}
        {cells === undefined
          ? ""
          : can.of + cannot.of === 0
            ? "No prediction is tested yet."
            : `Of ${can.of} cells predicted solvable ${can.extending} go four times as far as they were trained, of ${cannot.of} others ${cannot.extending || "none"}.`}
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
        <li>•: weights set by hand solve it</li>
      </ul>
      <div class="card scroll">
        <Matrix places={places} settings={settings} />
      </div>
      {deep.length > 0 && (
        <>
          <h2>Two layers</h2>
          <div class="card scroll">
            <Matrix places={deep} settings={settings} isSecond />
          </div>
        </>
      )}
      {gradedColumnsOf(cells ?? []).map(({ column, cells: own }) => (
        <Graded key={column} column={column} cells={own} />
      ))}
      <Sources>
        <p>
          Why: the transition of a token must act on the memory as the token acts on the state. Eigenvalues in
          [0, 1] only shrink it; −1 flips a sign, complex pairs rotate, products of reflections permute.
        </p>
        <p>
          Training begins with one symbol and adds one when 99 % are right, to {scales.laptop.words.longest}{" "}
          or until its {columns.a4.steps} steps are used up. The numbers are medians over seeds. Columns are
          in the order of the derived length of their group; the last three groups are not solvable.
        </p>
        <p>
          The architectures share one training configuration, layers of width 32. Rows:{" "}
          <code>evidence/zoo</code>; command: <code>statelab reproduce zoo --seeds 5</code>. To add your
          architecture: <code>statelab zoo mine.ts --out runs</code>, then <code>statelab studio runs</code>.
        </p>
      </Sources>
    </>
  );
}

function Matrix(props: {
  readonly places: readonly (readonly Place[])[];
  readonly settings: ViewProps["settings"];
  /** Its rows do not open: those of the first do. */
  readonly isSecond?: boolean;
}) {
  const { places, settings, isSecond = false } = props;
  return (
    <table class="matrix">
      <thead>
        <tr>
          <th scope="col">architecture</th>
          {places[0].map(({ column }) => (
            <th key={column} scope="col">
              {briefLabel(column)}
            </th>
          ))}
          <th scope="col" class="class">
            transition
          </th>
        </tr>
      </thead>
      <tbody>
        {places.map((line) => {
          const { row } = line[0];
          const chosen =
            row === settings.row ? line.find(({ column }) => column === settings.column) : undefined;
          const isRow = row === settings.row && !isSecond && !wordColumns.includes(settings.column ?? "");
          const isOpen = chosen !== undefined || isRow;
          return (
            <Fragment key={row}>
              <tr>
                <th scope="row">
                  {isSecond ? (
                    rowLabel(row)
                  ) : (
                    <a href={writeAddress({ view: "zoo", settings: { row } })}>{rowLabel(row)}</a>
                  )}
                  {rows[row] === undefined && <small class="muted"> (your run)</small>}
                </th>
                {line.map((place) => (
                  <td key={place.column}>
                    <CellButton place={place} isChosen={place === chosen} />
                  </td>
                ))}
                <td class="class">{mixerClass[row] ?? "–"}</td>
              </tr>
              {isOpen && (
                <tr>
                  <td colSpan={line.length + 2}>
                    {chosen === undefined ? (
                      <OpenedRow places={line} />
                    ) : (
                      <Opened key={chosen.column} place={chosen} />
                    )}
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function CellButton({ place, isChosen }: { readonly place: Place; readonly isChosen: boolean }) {
  const { row, column, prediction, constructed, standing } = place;
  const isContradicted = standing?.verdict === "contradicted";
  const said = prediction === undefined ? "" : `, ${signWords[prediction]}`;
  return (
    <button
      type="button"
      class={kindOf(place)}
      aria-pressed={isChosen ? "true" : "false"}
      onClick={() => setSettings(isChosen ? { row: undefined, column: undefined } : { row, column })}
    >
      {prediction === undefined ? "?" : signs[prediction]} {standing === undefined ? "" : lengthsOf(standing)}
      {isContradicted && <strong aria-hidden="true"> !</strong>}
      {constructed && (
        <span class="by-hand" aria-hidden="true">
          •
        </span>
      )}
      <span class="unseen">
        {placeName(place)}: {kinds[kindOf(place)].words}
        {said}
        {isContradicted && " and contradicted"}
        {constructed && ", and weights set by hand solve it"}
      </span>
    </button>
  );
}

/** Brings the row of what was opened to the top of the table. */
const bringRow = (opened: Element | null) =>
  bringIntoView(opened?.closest("tr")?.previousElementSibling ?? null);

/** All results of an architecture. */
function OpenedRow({ places }: { readonly places: readonly Place[] }) {
  const { row } = places[0];
  return (
    <section ref={bringRow} class="opened" aria-label={rowLabel(row)}>
      <h2>{rowLabel(row)}</h2>
      <p>{rows[row] !== undefined && `Architecture: ${rows[row].summary}.`}</p>
      <SummaryTable
        label={`Results of ${rowLabel(row)}`}
        caption="Lengths in symbols, medians over the seeds"
        first="task"
        name={({ column }) => columnLabel(column)}
        rows={places.filter(({ standing }) => standing !== undefined)}
        columns={[
          { title: "predicted", cell: ({ prediction }) => (prediction ? signs[prediction] : "?") },
          { title: "trained", cell: ({ standing }) => standing!.trained }, // the rows have one
          { title: "reach", cell: ({ standing }) => standing!.reach },
          { title: "generalization", cell: ({ standing }) => standing!.generalization },
          { title: "date", cell: ({ cell }) => cell?.date.slice(0, 10) },
        ]}
      />
      <p>
        Source:{" "}
        {rows[row] === undefined ? (
          <>
            your own runs, by <code>statelab zoo</code>
          </>
        ) : (
          <>
            <code>evidence/zoo</code>, made by <code>statelab reproduce zoo --only {row} --seeds 5</code>
          </>
        )}
      </p>
    </section>
  );
}

/** A task whose prediction is an order, a line an architecture. */
function Graded({ column, cells }: { readonly column: string; readonly cells: readonly GradedCell[] }) {
  const { columns: names, rows: lines } = gradedTable(column, cells);
  const heading = `${columns[column].programs!.heading}: ${columnLabel(column)}`; // of a graded one
  return (
    <section aria-label={columnLabel(column)}>
      <h2>{heading}</h2>
      <p>
        Task: {sentence(columns[column].summary)} {scaleRule(column)}
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

const sentence = (summary: string) => summary.replace(/[^?]$/, "$&.");

function Opened({ place }: { readonly place: Place }) {
  const { row, column, prediction, constructed, cell, standing } = place;
  const kind = mixerClass[row];
  return (
    <section ref={bringRow} class="opened" aria-label={placeName(place)}>
      <h2>{placeName(place)}</h2>
      <p>
        {columns[column] === undefined ? "" : `Task: ${sentence(columns[column].summary)} `}
        {rows[row] === undefined ? "" : `Architecture: ${rows[row].summary}.`}
      </p>
      <p>
        {prediction === undefined || kind === undefined
          ? "No prediction."
          : `${columns[column]?.layers === 2 ? "Two layers" : "One layer"}, any length: ${predictionBasis(prediction, constructed)}. Transition class: ${kind} (${classes[kind]}).`}
        {constructed && " Weights set by hand solve it at length 1,000."}
      </p>
      {cell === undefined || standing === undefined ? (
        <p class="muted">Not run.</p>
      ) : (
        <>
          <p>
            <strong>
              Reach {standing.reach}, generalization {standing.generalization}
            </strong>{" "}
            (medians): {verdictWords[standing.verdict]}.
          </p>
          <p class="muted">
            Learning rate {cell.rate}, {integer(cell.parameters)} parameters, state of{" "}
            {formatCount(cell.state, "number")}, {duration(cell.seconds)} per run, {cell.date.slice(0, 10)}.
          </p>
          <Runs cell={cell} />
        </>
      )}
      <Live place={place} />
      <p>
        <code>
          {rows[row] === undefined ? `statelab zoo ${row}.ts` : `statelab reproduce zoo --only ${row}`}{" "}
          --tasks {column} --seeds 5
        </code>
      </p>
    </section>
  );
}

/** The other side of a live training: what the theory of these tasks is about. */
const RIVALS = ["deltanet", "deltanet-positive"] as const;
/** A page is patient for so many steps. */
const LIVE_STEPS = 1000;

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

function Runs({ cell }: { readonly cell: ReachCell }) {
  return (
    <SummaryTable
      label="Runs"
      caption="Lengths in symbols, by 1,000 words of four times the trained length"
      first="seed"
      name={(run) => `${run.seed}${cell.runs.includes(run) ? "" : " (grid)"}`}
      rows={[...cell.runs, ...cell.grid]}
      columns={[
        { title: "learning rate", cell: ({ rate }) => rate },
        { title: "trained", cell: ({ trained }) => trained },
        { title: "reach", cell: ({ reach }) => reach },
        { title: "generalization", cell: ({ generalization }) => generalization },
      ]}
    />
  );
}
