/**
 * @file Train it: two models learn the same programs in the page, side by side; their losses, and what they answer to programs that neither is
 * trained on.
 *
 *     #/train?task=parity&left=deltanet-1&right=deltanet-2&width=32&length=24&seed=0
 */

import { useMemo, useState } from "preact/hooks";
import type { StepRecord } from "../../src/records/run.ts";
import { envelope } from "../../src/work/studio/envelope.ts";
import { setSettings } from "../address.ts";
import { Curve } from "../parts/curve.tsx";
import {
  type Choice,
  choiceFrom,
  configOf,
  EVERY,
  lengths,
  type ModelName,
  models,
  SOLVED,
  spacings,
  tasks,
  widths,
} from "../train/settings.ts";
import { type TrainingControl, useTraining } from "../train/use-training.ts";
import type { ViewProps } from "../view.ts";

const ENGINE = "ort/ort-wasm-simd-threaded.wasm";
const ENGINE_MEGABYTES = 14;
const PARTS = 400;

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

export function View({ settings }: ViewProps) {
  const choice = choiceFrom(settings);
  const [engine, setEngine] = useState<ArrayBuffer>();
  const [status, setStatus] = useState("");
  const [problem, setProblem] = useState("");
  /** What was chosen when it began: a change after that begins nothing by itself. */
  const [begun, setBegun] = useState<{ readonly choice: Choice; readonly times: number }>();
  const configs = useMemo(
    () =>
      begun &&
      ([begun.choice.left, begun.choice.right].map((name) => configOf(begun.choice, name)) as [
        object,
        object,
      ]),
    [begun],
  );
  const left = useTraining(configs?.[0], engine, begun?.times ?? 0);
  const right = useTraining(configs?.[1], engine, begun?.times ?? 0);
  const both = [left, right];
  const isBusy = both.some(({ state }) => state === "training");
  const isPaused = both.some(({ state }) => state === "paused");
  const isChanged = begun !== undefined && JSON.stringify(begun.choice) !== JSON.stringify(choice);

  const begin = async () => {
    setProblem("");
    try {
      if (engine === undefined) {
        setStatus("Loading the engine …");
        const response = await fetch(ENGINE);
        if (!response.ok) throw new Error(`${ENGINE} could not be loaded (${response.status})`);
        setEngine(await response.arrayBuffer());
      }
      setBegun((before) => ({ choice, times: (before?.times ?? 0) + 1 }));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setStatus("");
    }
  };
  return (
    <>
      <h1>Which of the two can learn to keep a state?</h1>
      <p class="lead">
        Both read the same programs, in the same order. The parity of bits is one state that each 1 turns
        over: a linear recurrence needs an eigenvalue of −1 for it, and with β up to 1 a DeltaNet has none
        below 0.
      </p>
      <Choosing choice={choice} />
      <div class="controls">
        <button type="button" disabled={status !== ""} onClick={begin}>
          {begun === undefined ? "Train both" : "Begin again"}
        </button>
        {isBusy && (
          <button type="button" onClick={() => both.map((each) => each.pause())}>
            Pause
          </button>
        )}
        {isPaused && (
          <button type="button" onClick={() => both.map((each) => each.goOn())}>
            Go on
          </button>
        )}
        <span class="muted" role="status">
          {status !== ""
            ? status
            : engine === undefined
              ? `The first click loads ONNX Runtime, ${ENGINE_MEGABYTES} MB, from where this page came from.`
              : isChanged
                ? "The settings were changed since: this is what was begun with those before."
                : ""}
        </span>
      </div>
      {problem !== "" && <p role="alert">{problem}</p>}
      {begun !== undefined && configs !== undefined && (
        <div class="sides">
          <Side
            key="left"
            of="left"
            name={begun.choice.left}
            choice={begun.choice}
            config={configs[0]}
            training={left}
          />
          <Side
            key="right"
            of="right"
            name={begun.choice.right}
            choice={begun.choice}
            config={configs[1]}
            training={right}
          />
        </div>
      )}
      <details>
        <summary>How do you know?</summary>
        <p>
          It is the lab's own training (<code>src/train</code>) over its own graphs, in ONNX Runtime's
          WebAssembly on one thread; its first steps are tested to be those of the command line. Held-out
          answers are to 100 programs that neither is trained on. The downloaded configuration does the same
          outside: <code>statelab train run.json</code>. What all architectures learn of this and of other
          tasks: <a href="#/zoo">the zoo</a>.
        </p>
      </details>
    </>
  );
}

function Choosing({ choice }: { readonly choice: Choice }) {
  const { task } = choice;
  return (
    <div class="controls">
      <label>
        Task{" "}
        <select value={task} onChange={({ currentTarget }) => setSettings({ task: currentTarget.value })}>
          {Object.entries(tasks).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {task === "parity" ? (
        <Whole label="Bits" name="length" value={choice.length} values={lengths} />
      ) : (
        <Whole label="Swaps from print to print" name="spacing" value={choice.spacing} values={spacings} />
      )}
      {(["left", "right"] as const).map((side) => (
        <label key={side}>
          {side === "left" ? "Left" : "Right"}{" "}
          <select
            value={choice[side]}
            onChange={({ currentTarget }) => setSettings({ [side]: currentTarget.value })}
          >
            {Object.entries(models).map(([name, { title }]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ))}
      <Whole label="Width" name="width" value={choice.width} values={widths} />
      <Whole label="Seed" name="seed" value={choice.seed} values={[0, 1, 2, 3, 4]} />
    </div>
  );
}

function Whole(props: {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly values: readonly number[];
}) {
  const { label, name, value, values } = props;
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={({ currentTarget }) => setSettings({ [name]: currentTarget.value })}>
        {[...new Set([...values, value])].map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Side(props: {
  readonly of: string;
  readonly name: ModelName;
  readonly choice: Choice;
  readonly config: object;
  readonly training: TrainingControl;
}) {
  const { of, name, choice, config, training } = props;
  const { records, state, parameters, problem } = training;
  const { chance, steps } = tasks[choice.task];
  const { title } = models[name];
  const last = records.at(-1);
  const heldOut = records.filter((each) => each.heldOut !== undefined);
  return (
    <section class="card" aria-label={`${title}, ${of}`} data-state={state}>
      <h2>{title}</h2>
      <p class="muted">
        {parameters === undefined
          ? "It is prepared …"
          : `${parameters.toLocaleString("en")} numbers are learned`}
        {last !== undefined && `; step ${last.step.toLocaleString("en")} of ${steps.toLocaleString("en")}`}
        {state === "paused" && ", paused"}
        {last !== undefined && `; stage ${last.stage + 1} of ${stagesOf(config)}`}.
      </p>
      {problem !== undefined && <p role="alert">It was ended: {problem}.</p>}
      <Verdict records={records} state={state} chance={chance} steps={steps} />
      <div class="curves">
        <Curve
          title="Loss of training batches"
          parts={partsOf(records, "loss")}
          from={0}
          format={(value) => value.toFixed(2)}
        />
        <Curve
          title={`Held-out answers that are right, every ${EVERY} steps`}
          parts={partsOf(heldOut, "heldOut")}
          from={0}
          to={1}
          format={percent}
        />
      </div>
      {last !== undefined && (
        <div class="controls">
          <button
            type="button"
            onClick={async () => {
              const { file, step } = await training.weights();
              save(`${name}-step-${step}.safetensors`, new Blob([file]));
            }}
          >
            Download the weights
          </button>
          <button
            type="button"
            onClick={() => save(`${name}.json`, new Blob([`${JSON.stringify(config, null, 2)}\n`]))}
          >
            Download the configuration
          </button>
        </div>
      )}
    </section>
  );
}

const stagesOf = (config: object) =>
  (config as { curriculum?: { stages: unknown[] } }).curriculum?.stages.length ?? 1;

function partsOf(records: readonly StepRecord[], name: "loss" | "heldOut") {
  return envelope(
    records.map(({ step }) => step),
    records.map((each) => each[name] ?? Number.NaN),
    PARTS,
  );
}

/** What may be said of it so far: of what was not learned only that it was not learned in this budget. */
function Verdict(props: {
  readonly records: readonly StepRecord[];
  readonly state: string;
  readonly chance: number;
  readonly steps: number;
}) {
  const { records, state, chance, steps } = props;
  const solved = records.find(({ heldOut = 0 }) => heldOut >= SOLVED);
  const latest = records.findLast(({ heldOut }) => heldOut !== undefined);
  const now =
    latest?.heldOut === undefined
      ? ""
      : `${percent(latest.heldOut)} of held-out answers are right; a guess has ${percent(chance)}.`;
  if (solved !== undefined)
    return (
      <p>
        <strong class="good">✓ Solved after {solved.step.toLocaleString("en")} steps.</strong> {now}
      </p>
    );
  if (state === "finished")
    return (
      <p>
        <strong class="bad">✗ Not learned in this budget</strong> of {steps.toLocaleString("en")} steps. {now}
      </p>
    );
  return <p>{now === "" ? "Nothing was asked yet." : now}</p>;
}

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
