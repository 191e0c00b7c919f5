/**
 * @file The run folders below the folder of the studio, live: a table, one run in detail, a group of runs compared with another one.
 *
 *     #/runs?filter=deltanet&smooth=0.1&log=yes&lines=runs
 *     #/runs?run=beta/betaMax=2/seed-0&against=beta/betaMax=1
 */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MeasuredDifference } from "../../src/app/compare/difference.ts";
import type { RunDetails, RunLine, Versus } from "../../src/app/studio/runs.ts";
import { formatCount, shellWord, signed } from "../../src/core/format.ts";
import { percent } from "../../src/report/shares.ts";
import { runGroup } from "../../src/storage/run-files.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, writeAddress } from "../address.ts";
import { Chart, overSeeds, type Series, smoothed, toPoints } from "../parts/chart.tsx";
import { bringIntoView, Check, Select, Sources } from "../parts/components.tsx";
import { Filter, pending, RecordTable, SummaryTable } from "../parts/records.tsx";
import { asked, useApi } from "../server.ts";

interface Listing {
  readonly folder: string;
  readonly runs: readonly RunLine[];
}

/** More rows than this make a browser slow: the filter says which. */
const MOST_ROWS = 500;

const number = (value: number) =>
  value === 0
    ? "0"
    : Math.abs(value) >= 0.001 && Math.abs(value) < 1e5
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1);

/** Notes are kept in the browser: the studio writes nothing into the folder. */
const noteKey = (folder: string, run: string) => `note: ${folder}: ${run}`;
interface Noted {
  readonly noteOf: (run: { readonly name: string }) => string;
}

export function View({ settings }: ViewProps) {
  const [, setNotes] = useState(0);
  const answer = useApi(() => asked<Listing>("runs"), "runs");
  const { said } = answer;
  const { filter = "", run } = settings;
  if (said === undefined) return pending(answer, "Loading runs");
  const words = filter.toLowerCase().split(/\s+/);
  const noteOf: Noted["noteOf"] = ({ name }) => localStorage.getItem(noteKey(said.folder, name)) ?? "";
  const found = said.runs.filter((line) => {
    const trouble = line.trouble?.map(shortTrouble).join(" ") ?? "";
    const text =
      `${line.name} ${line.model} ${line.task} ${line.state} ${trouble} ${noteOf(line)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <p class="lead">
        {formatCount(said.runs.length, "run")} in {said.folder}
      </p>
      {said.runs.length === 0 ? (
        <p>
          No runs yet. To start one: <code>statelab train examples/deltanet.yaml --out runs/first</code>
        </p>
      ) : (
        <>
          <form class="controls" onSubmit={(event) => event.preventDefault()}>
            <label>
              Filter{" "}
              <input
                type="search"
                value={filter}
                placeholder="deltanet running"
                onInput={({ currentTarget }) => setSettings({ filter: currentTarget.value })}
              />
            </label>
            <span class="muted">
              {found.length === said.runs.length ? "" : `${found.length} shown`}
              {found.length > MOST_ROWS ? `, only the first ${MOST_ROWS} listed` : ""}
            </span>
          </form>
          {found.length === 0 ? (
            <p class="muted">No run matches this filter.</p>
          ) : (
            <>
              <Overlay runs={found} settings={settings} noteOf={noteOf} />
              <Table lines={found.slice(0, MOST_ROWS)} chosen={run} noteOf={noteOf} />
            </>
          )}
        </>
      )}
      {run && (
        <Whole key={run} name={run} runs={said.runs} against={settings.against}>
          <label class="note">
            Note on {run}, kept in this browser
            <textarea
              maxLength={2000}
              defaultValue={noteOf({ name: run })}
              onInput={({ currentTarget }) => {
                localStorage.setItem(noteKey(said.folder, run), currentTarget.value);
                setNotes((count) => count + 1);
              }}
            />
          </label>
        </Whole>
      )}
      <Sources>
        <p>
          Source: <code>config.json</code>, <code>metrics.jsonl</code> and <code>tested.jsonl</code> of each
          run. A run is running while a live process has its lock.
        </p>
      </Sources>
    </>
  );
}

type CurveName = keyof RunDetails["curves"];

const Curves = (props: {
  readonly seriesOf: (curve: CurveName) => Series[];
  readonly isLog?: boolean;
  readonly marks?: { readonly steps: readonly number[]; readonly title: string };
}) => (
  <div class="curves">
    <Chart
      {...props}
      title="Training loss in nats, lower is better"
      series={props.seriesOf("loss")}
      from={0}
      format={number}
    />
    <Chart
      {...{ ...props, isLog: false, title: "Training accuracy, running mean per stage", from: 0, to: 1 }}
      series={props.seriesOf("accuracy")}
      format={percent}
    />
  </div>
);

/** More lines are no picture, and each costs a request. */
const MOST_LINES = 16;

/** The runs that the filter leaves on one chart; those that differ in their seed alone are one line. */
function Overlay({ runs, settings, noteOf }: Noted & { runs: readonly RunLine[] } & ViewProps) {
  const { smooth = "0", log, lines } = settings;
  const names = runs.filter(({ problem, step }) => problem === undefined && step).map(({ name }) => name);
  const drawn = names.slice(0, MOST_LINES);
  const ask = () => Promise.all(drawn.map((name) => asked<RunDetails>("run", { name })));
  const answer = useApi(ask, drawn.join("\n"));
  const { said } = answer;
  if (said === undefined) return pending(answer, "Loading curves");
  const groupOf = ({ name }: RunDetails) => (lines === "runs" ? name : runGroup(name));
  const seriesOf = (curve: CurveName) =>
    [...new Set(said.map(groupOf))].map((name): Series => {
      const own = said.filter((run) => groupOf(run) === name);
      const each = own.map(({ curves }) => toPoints(curves[curve]));
      const title = own.length === 1 ? own[0].name : `${name}, ${own.length} seeds`;
      const note = own.map(noteOf).filter(Boolean).join("; ");
      const points = smoothed(each.length === 1 ? each[0] : overSeeds(each), Number(smooth));
      return { name: title, note, points };
    });
  return (
    <section aria-label="Curves">
      <div class="controls">
        <Select
          label="Smoothing"
          value={smooth}
          options={[
            ["0", "none"],
            ["0.05", "5 % of the steps"],
            ["0.2", "20 % of the steps"],
          ]}
          onChange={(each) => setSettings({ smooth: each })}
        />
        <Check label="Log axis" setting="log" value="yes" chosen={log} />
        <Check label="One line per seed" setting="lines" value="runs" chosen={lines} />
        {names.length > MOST_LINES && (
          <span class="muted">
            The first {MOST_LINES} of {names.length} runs. Filter to choose others.
          </span>
        )}
      </div>
      <Curves isLog={log === "yes"} seriesOf={seriesOf} />
      <p class="muted">Line: mean. Band: minimum to maximum, over seeds or over the steps of a pixel.</p>
    </section>
  );
}

const Table = (
  props: Noted & { readonly lines: readonly RunLine[]; readonly chosen: string | undefined },
) => (
  <RecordTable
    setting="run"
    chosen={props.chosen}
    name={({ name }) => name}
    rows={props.lines}
    problem={({ problem }) => problem}
    columns={[
      { title: "model", word: true, cell: ({ model }) => model },
      { title: "task", word: true, cell: ({ task }) => task },
      { title: "seed", cell: ({ seed }) => seed },
      {
        title: "steps",
        cell: ({ step, steps }) => `${step?.toLocaleString("en")} of ${steps?.toLocaleString("en")}`,
      },
      { title: "stage", cell: ({ stages }) => (stages === undefined ? "" : `${stages[0]} of ${stages[1]}`) },
      { title: "loss", cell: ({ loss }) => (loss === undefined ? "–" : number(loss)) },
      {
        title: "training accuracy",
        cell: ({ accuracy }) => (accuracy === undefined ? "–" : percent(accuracy)),
      },
      {
        title: "state",
        word: true,
        cell: ({ state, trouble }) => (
          <>
            {state}
            {trouble?.map((each) => (
              <strong key={each} class="bad" title={each}>
                , {shortTrouble(each)}
              </strong>
            ))}
          </>
        ),
      },
      ...(props.lines.some(props.noteOf)
        ? [{ title: "note", word: true, className: () => "why", cell: props.noteOf }]
        : []),
    ]}
  />
);

const shortTrouble = (sentence: string) =>
  sentence.startsWith("diverged") ? "diverged" : "curriculum not finished";

/** A task or a model that is a file: its name is a path. */
const hasOwnCode = ({ task, model }: RunDetails["config"]) =>
  [task.name, model.name].some((each) => /[/\\]|\.[cm]?[jt]s$/.test(each));

function Whole(props: {
  readonly name: string;
  readonly runs: readonly RunLine[];
  readonly against: string | undefined;
  readonly children: ComponentChildren;
}) {
  const { name, runs, against, children } = props;
  const answer = useApi(() => asked<RunDetails>("run", { name }), name);
  const { said } = answer;
  if (said === undefined) return pending(answer, `Loading ${name}`);
  const { curves, tests, config, stages, state, stageStarts, trouble = [], reports } = said;
  const marks = { steps: stageStarts, title: "start of a curriculum stage" };
  return (
    <section aria-label={name} ref={bringIntoView}>
      <h2>{name}</h2>
      {state === "running" && stages !== undefined && stages[0] < stages[1] && (
        <p>
          Curriculum stage {stages[0]} of {stages[1]}: later stages are not trained yet.
        </p>
      )}
      {trouble.map((sentence) => (
        <p key={sentence}>
          <strong class="bad">✗ {shortTrouble(sentence)}:</strong> {sentence.replace(/^diverged: /, "")}.
        </p>
      ))}
      <p class="controls">
        {hasOwnCode(config) ? (
          <span class="muted">
            Studio does not run custom code. Continue with <code>statelab train --resume</code>.
          </span>
        ) : (
          <a href={writeAddress({ view: "train", settings: { run: name } })}>Continue training here</a>
        )}
        {reports.map((report) => (
          <a
            key={report}
            href={`api/report?${new URLSearchParams({ name: report })}`}
            target="_blank"
            rel="noreferrer"
          >
            {report}
          </a>
        ))}
      </p>
      <Curves marks={marks} seriesOf={(curve) => [{ name, points: toPoints(curves[curve]) }]} />
      {tests.length === 0 ? (
        <p class="muted">
          Not tested yet. To test it: <code>statelab evaluate {shellWord(name)}</code>
        </p>
      ) : (
        <SummaryTable
          label="Tests"
          caption="Accuracy on held-out sequences"
          first="test"
          name={({ name: test }) => test}
          rows={tests}
          columns={[
            { title: "accuracy", cell: ({ accuracy }) => percent(accuracy) },
            {
              title: "windowed Bayes filter",
              cell: ({ windowedBayes }) => (windowedBayes === undefined ? "–" : percent(windowedBayes)),
            },
            { title: "sequences", cell: ({ programs }) => programs.toLocaleString("en") },
          ]}
        />
      )}
      {children}
      {tests.length > 0 && <Against name={runGroup(name)} runs={runs} other={against} />}
      <details>
        <summary>Configuration</summary>
        <pre class="configuration">{JSON.stringify(config, null, 2)}</pre>
      </details>
    </section>
  );
}

const pointsOf = (share: number) => `${share > 0 ? "+" : ""}${signed(100 * share, 1)}`;

function Against(props: {
  readonly name: string;
  readonly runs: readonly RunLine[];
  readonly other: string | undefined;
}) {
  const { name, runs, other = "" } = props;
  const task = runs.find((run) => runGroup(run.name) === name)?.task;
  const others = new Set(
    runs.filter((run) => run.task === task && run.isTested).map((run) => runGroup(run.name)),
  );
  others.delete(name);
  if (others.size === 0) return null;
  return (
    <section aria-label="Compared">
      <h3>Compare with other runs</h3>
      <div class="controls">
        <Filter
          label={`${name} against`}
          all="choose …"
          value={others.has(other) ? other : ""}
          options={[...others].map((each) => [each, each])}
          onChange={(against) => setSettings({ against })}
        />
      </div>
      {others.has(other) && <Compared key={other} names={[other, name]} />}
    </section>
  );
}

function Compared({ names: [first, second] }: { readonly names: readonly [string, string] }) {
  const answer = useApi(() => asked<Versus>("versus", { first, second }), `${first} ${second}`);
  const { said } = answer;
  if (said === undefined) return pending(answer, "Comparing");
  const { comparisons, left } = said;
  return (
    <>
      <SummaryTable
        label="Differences"
        caption="Accuracy; the difference is in percentage points"
        first="test"
        name={({ test }) => test}
        rows={comparisons}
        columns={[
          { title: first, cell: ({ accuracy }) => percent(accuracy.baseline) },
          { title: second, cell: ({ accuracy }) => percent(accuracy.contender) },
          { title: "difference", cell: ({ accuracy }) => pointsOf(accuracy.difference) },
          { title: "95 % confidence interval", cell: ({ accuracy }) => intervalOf(accuracy) },
        ]}
      />
      <p class="muted">
        {[...new Set(comparisons.map(({ accuracy, seeds }) => overWhat(accuracy, seeds.length)))].join(" ")}
        {left.length > 0 &&
          ` Left out: ${left.map(({ contender, seeds, tests }) => `${contender}, ${[...seeds.map((seed) => `seed ${seed}`), ...tests].join(", ")}`).join("; ")}.`}
      </p>
    </>
  );
}

function intervalOf({ uncertainty }: MeasuredDifference): string {
  return uncertainty.kind === "none" ? "–" : uncertainty.interval.map(pointsOf).join(" to ");
}

function overWhat({ uncertainty }: MeasuredDifference, seeds: number): string {
  switch (uncertainty.kind) {
    case "seeds":
      return `Paired interval over ${seeds} common seeds (Student's t).`;
    case "programs":
      return `Interval over ${uncertainty.programs} common sequences of one seed; other seeds may differ by more.`;
    case "none":
      return `No interval: ${uncertainty.reason}.`;
    default:
      return uncertainty satisfies never;
  }
}
