/**
 * @file The run folders below the folder that the studio was opened on, live; and one of them whole.
 *
 *     #/runs?filter=deltanet&run=beta/betaMax=2/seed-0&against=beta/betaMax=1
 */

import { groupOf } from "../../src/app/studio/groups.ts";
import type { RunLine, RunWhole } from "../../src/app/studio/runs.ts";
import { shellWord } from "../../src/core/format.ts";
import { setSettings, writeAddress } from "../address.ts";
import { Against } from "../compared/comparison.tsx";
import { Curve } from "../parts/curve.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";
import type { ViewProps } from "../view.ts";

interface Listing {
  readonly folder: string;
  readonly runs: readonly RunLine[];
}

/** More rows than this make a browser slow: the filter says which. */
const MOST_ROWS = 500;

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const number = (value: number) =>
  value === 0
    ? "0"
    : Math.abs(value) >= 0.001 && Math.abs(value) < 1e5
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1);

export function View({ settings }: ViewProps) {
  const { said, problem } = useAsked(() => asked<Listing>("runs"), "runs");
  const { filter = "", run } = settings;
  if (problem !== undefined) return <p role="alert">The runs cannot be read: {problem}.</p>;
  if (said === undefined) return <p class="muted">Looking for runs …</p>;
  const words = filter.toLowerCase().split(/\s+/);
  const found = said.runs.filter((line) => {
    const trouble = line.trouble?.map(shortTrouble).join(" ") ?? "";
    const text = `${line.name} ${line.model} ${line.task} ${line.state} ${trouble}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <h1>
        {said.runs.length} {said.runs.length === 1 ? "run" : "runs"} in {said.folder}
      </h1>
      {said.runs.length === 0 ? (
        <p>
          None is here yet. <code>statelab train examples/deltanet.yaml --out runs/first</code> makes one;
          this page shows it as it learns.
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
              {found.length > MOST_ROWS ? `, of them the first ${MOST_ROWS}` : ""}
            </span>
          </form>
          <Table lines={found.slice(0, MOST_ROWS)} chosen={run} />
        </>
      )}
      {run && <Whole key={run} name={run} runs={said.runs} against={settings.against} />}
      <details>
        <summary>How do you know?</summary>
        <p>
          Everything is read from the runs' own files when it is asked for: the log of steps (
          <code>metrics.jsonl</code>), each test with its single answers (<code>tested.jsonl</code>), the
          configuration with its seed. <code>statelab report RUN</code> writes the same as a page; the
          comparison is that of <code>statelab compare</code>. A run is running while a living process holds
          its lock.
        </p>
      </details>
    </>
  );
}

function Table({
  lines,
  chosen,
}: {
  readonly lines: readonly RunLine[];
  readonly chosen: string | undefined;
}) {
  return (
    <div class="flow card runs">
      <table>
        <thead>
          <tr>
            <th>run</th>
            <th class="word">model</th>
            <th class="word">task</th>
            <th>seed</th>
            <th>steps</th>
            <th>stage</th>
            <th>loss</th>
            <th>right in training</th>
            <th class="word">state</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.name} aria-selected={line.name === chosen}>
              <th scope="row">
                <button type="button" onClick={() => setSettings({ run: line.name })}>
                  {line.name}
                </button>
              </th>
              {line.problem !== undefined ? (
                <td class="word" colSpan={8}>
                  cannot be read: {line.problem}
                </td>
              ) : (
                <>
                  <td class="word">{line.model}</td>
                  <td class="word">{line.task}</td>
                  <td>{line.seed}</td>
                  <td>
                    {line.step?.toLocaleString("en")} of {line.steps?.toLocaleString("en")}
                  </td>
                  <td>{line.stages === undefined ? "" : `${line.stages[0]} of ${line.stages[1]}`}</td>
                  <td>{line.loss === undefined ? "–" : number(line.loss)}</td>
                  <td>{line.accuracy === undefined ? "–" : percent(line.accuracy)}</td>
                  <td class="word">
                    {line.state}
                    {line.trouble?.map((each) => (
                      <strong key={each} class="bad" title={each}>
                        , {shortTrouble(each)}
                      </strong>
                    ))}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const shortTrouble = (sentence: string) =>
  sentence.startsWith("diverged") ? "diverged" : "not at its last stage";

/** A task or a model that is a file: its name is a path. */
const hasOwnCode = ({ task, model }: RunWhole["config"]) =>
  [task.name, model.name].some((each) => /[/\\]|\.[cm]?[jt]s$/.test(each));

function Whole(props: {
  readonly name: string;
  readonly runs: readonly RunLine[];
  readonly against: string | undefined;
}) {
  const { name, runs, against } = props;
  const { said, problem } = useAsked(() => asked<RunWhole>("run", { name }), name);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (said === undefined) return <p class="muted">Reading {name} …</p>;
  const { curves, tests, config, stages, state, stageStarts, trouble = [], reports } = said;
  const marks = { steps: stageStarts, title: "a further stage of the curriculum begins" };
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      {state === "running" && stages !== undefined && stages[0] < stages[1] && (
        <p>
          Its curriculum stands at stage {stages[0]} of {stages[1]}: what comes behind it was not trained yet.
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
            It has code of its own, which this page does not run: <code>statelab resume</code> continues it.
          </span>
        ) : (
          <a href={writeAddress({ view: "train", settings: { run: name } })}>Continue it in this page</a>
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
      <div class="curves">
        <Curve title="Loss of training batches" parts={curves.loss} from={0} format={number} marks={marks} />
        <Curve
          title="Running share of right answers, in the stage it is in"
          parts={curves.accuracy}
          from={0}
          to={1}
          format={percent}
          marks={marks}
        />
      </div>
      {tests.length === 0 ? (
        <p class="muted">
          It was not asked anything yet: <code>statelab evaluate {shellWord(name)}</code>
        </p>
      ) : (
        <div class="flow">
          <table>
            <caption>Fresh programs, none of them trained on</caption>
            <thead>
              <tr>
                <th>test</th>
                <th>right</th>
                <th>windowed filter</th>
                <th>programs</th>
              </tr>
            </thead>
            <tbody>
              {tests.map((test) => (
                <tr key={test.name}>
                  <th scope="row">{test.name}</th>
                  <td>{percent(test.accuracy)}</td>
                  <td>{test.windowedBayes === undefined ? "–" : percent(test.windowedBayes)}</td>
                  <td>{test.programs.toLocaleString("en")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Against name={groupOf(name)} runs={runs} other={against} />
      <details>
        <summary>Configuration</summary>
        <pre class="configuration">{JSON.stringify(config, null, 2)}</pre>
      </details>
    </section>
  );
}
