/** @file The trainings of the view Train: curves of all of them, and for each one its status and downloads. */

import { useState } from "preact/hooks";
import { envelope } from "../../src/app/studio/downsample.ts";
import { integer } from "../../src/core/format.ts";
import { percent } from "../../src/report/shares.ts";
import { writeTar } from "../../src/schemas/formats/tar.ts";
import type { RunConfig, StepRecord } from "../../src/schemas/run-config.ts";
import { writeAddress } from "../address.ts";
import { taskLanguage } from "../automaton/tasks.ts";
import { Chart, toPoints } from "../parts/chart.tsx";
import { save } from "../parts/components.tsx";
import { type Device, devices, SOLVED } from "./settings.ts";
import { keep, LEARNED } from "./trained-models.ts";
import type { TrainingControl } from "./use-training.ts";

const PARTS = 400;

export function Side(props: {
  readonly of: string;
  readonly title: string;
  /** Accuracy of a guess, if known. */
  readonly chance?: number;
  readonly training: TrainingControl;
  readonly device: Device | undefined;
}) {
  const { of, title, chance, training, device } = props;
  const { records, state, parameters, problem, config } = training;
  const last = records.at(-1);
  return (
    <section class="card" aria-label={`${title}, ${of}`} data-state={state}>
      <h2>{title}</h2>
      <p class="muted">
        {parameters !== undefined
          ? `${integer(parameters)} parameters`
          : device === undefined
            ? "Not trained yet"
            : "Preparing"}
        {device !== undefined && ` on ${devices[device].title}`}
        {last !== undefined &&
          config !== undefined &&
          `; step ${integer(last.step)} of ${integer(config.train.steps)}`}
        {state === "paused" && ", paused"}
        {last !== undefined &&
          config !== undefined &&
          `; stage ${last.stage + 1} of ${config.curriculum.stages.length}`}
        {last?.transferBytes !== undefined && `; ${integer(last.transferBytes)} bytes copied per step`}.
      </p>
      {problem !== undefined && <p role="alert">Training stopped: {problem}.</p>}
      {config !== undefined && <Verdict {...{ records, state, chance, config }} />}
      {last !== undefined && config !== undefined && (
        <>
          <Longer training={training} />
          <TakeAlong title={title} training={training} config={config} />
        </>
      )}
    </section>
  );
}

const testsOf = ({ beyond }: TrainingControl) =>
  beyond === "evaluating" || beyond instanceof Error ? undefined : beyond;

/** All trainings on the same axes, as long as their budget. */
export function Curves({
  titles,
  trainings,
  steps,
}: {
  readonly titles: readonly string[];
  readonly trainings: readonly TrainingControl[];
  /** Before a training tells its own. */
  readonly steps: number;
}) {
  const until = trainings.reduce((most, { config }) => Math.max(most, config?.train.steps ?? 0), 0) || steps;
  const curve = (name: "loss" | "heldOut") =>
    titles.map((title, i) => {
      const own = trainings[i].records.filter((each) => each[name] !== undefined);
      const values = own.map((each) => each[name] ?? Number.NaN);
      return {
        name: title,
        points: toPoints(
          envelope(
            own.map(({ step }) => step),
            values,
            PARTS,
          ),
        ),
      };
    });
  const longer = titles.map((name, i) => {
    const tests = testsOf(trainings[i])?.beyond ?? [];
    return { name, tests, points: toPoints(tests.map(({ length, right }) => [length, right, right])) };
  });
  const [test] = longer.flatMap(({ tests }) => tests);
  return (
    <div class="curves">
      <Chart
        title="Training loss"
        series={curve("loss")}
        from={0}
        until={until}
        format={(value) => value.toFixed(2)}
      />
      {trainings.some(({ config }) => config === undefined || config.train.evaluateEvery !== undefined) && (
        <Chart
          title="Held-out accuracy"
          series={curve("heldOut")}
          from={0}
          to={1}
          until={until}
          format={percent}
        />
      )}
      {test === undefined ? (
        <p class="muted">Accuracy on longer sequences follows at the end of training.</p>
      ) : (
        <Chart
          title="Accuracy on the last answer, by length"
          series={longer}
          from={0}
          to={1}
          unit={test.unit}
          format={percent}
        />
      )}
    </div>
  );
}

/** Its status in words: a task that was not learned is only not learned in this budget. */
function Verdict(props: {
  readonly records: readonly StepRecord[];
  readonly state: string;
  readonly chance: number | undefined;
  readonly config: RunConfig;
}) {
  const { records, state, chance, config } = props;
  const solved = records.find(({ heldOut = 0 }) => heldOut >= SOLVED);
  const latest = records.findLast(({ heldOut }) => heldOut !== undefined);
  const guess = chance === undefined ? "" : `; chance is ${percent(chance)}`;
  const now = latest?.heldOut === undefined ? "" : `Held-out accuracy is ${percent(latest.heldOut)}${guess}.`;
  if (solved !== undefined)
    return (
      <p>
        <strong class="good">✓ Solved after {integer(solved.step)} steps.</strong> {now}
      </p>
    );
  if (state === "finished" && latest !== undefined)
    return (
      <p>
        <strong class="bad">✗ Not solved in {integer(config.train.steps)} steps.</strong> {now}
      </p>
    );
  return <p>{now === "" ? "Not evaluated yet." : now}</p>;
}

function Longer({ training }: { readonly training: TrainingControl }) {
  const { beyond, testLonger } = training;
  const tests = testsOf(training);
  if (tests !== undefined) {
    const [first] = tests.beyond;
    return first === undefined ? null : (
      <p class="muted">
        Tested by length after step {integer(tests.step)}, on {first.programs} sequences each.{" "}
        {first.right >= LEARNED
          ? "Only the first length was trained."
          : "It does not fit its training length, so longer ones are inconclusive."}
      </p>
    );
  }
  const isAsking = beyond === "evaluating";
  return (
    <p class="controls">
      <button type="button" disabled={isAsking} onClick={testLonger}>
        {isAsking ? "Evaluating …" : "Test on longer sequences"}
      </button>
      {beyond instanceof Error && <span role="alert">{beyond.message}</span>}
    </p>
  );
}

function TakeAlong(props: {
  readonly title: string;
  readonly training: TrainingControl;
  readonly config: RunConfig;
}) {
  const { title, training, config } = props;
  const heldOut = training.records.findLast((each) => each.heldOut !== undefined)?.heldOut;
  const [problem, setProblem] = useState("");
  const name = `${config.task.name}-${config.model.name}-seed-${config.seed}`;
  const doing = (work: () => Promise<void>) => async () => {
    setProblem("");
    await work().catch((error: Error) => setProblem(error.message));
  };
  const folder = doing(async () => {
    const { files } = await training.ask("folder");
    const below = Object.fromEntries(
      Object.entries(files).map(([path, bytes]) => [`${name}/${path}`, bytes]),
    );
    save(`${name}.tar`, writeTar(below));
  });
  const exported = (file: string) =>
    doing(async () => {
      const { files, step } = await training.ask("exported");
      save(`${name}-step-${step}.${file.split(".").at(-1)}`, files[file]);
    });
  return (
    <>
      {taskLanguage(config.task) !== undefined && (
        <p>
          <button
            type="button"
            onClick={doing(async () => {
              const model = keep(title, config, heldOut, await training.ask("weights"));
              location.hash = writeAddress({ view: "automaton", settings: { model } });
            })}
          >
            Extract its automaton
          </button>
        </p>
      )}
      <details>
        <summary>Download</summary>
        <div class="controls">
          {Object.entries({
            ...{ "Run folder": folder, ONNX: exported("model.onnx"), Weights: exported("model.safetensors") },
            Configuration: () => save(`${name}.json`, `${JSON.stringify(config, null, 2)}\n`),
          }).map(([label, download]) => (
            <button key={label} type="button" onClick={download}>
              {label}
            </button>
          ))}
        </div>
        <p class="muted">
          <code>
            tar xf {name}.tar && statelab train --resume {name}
          </code>{" "}
          resumes the run; <code>statelab train {name}.json</code> starts it again. The command line rounds
          differently, so its numbers drift apart.
        </p>
        {problem !== "" && <p role="alert">{problem}</p>}
      </details>
    </>
  );
}
