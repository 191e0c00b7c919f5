/**
 * @file Train: two models learn the same programs in the page, side by side; their losses, and what they answer to programs that neither is
 * trained on. Or one run of the command line continues here.
 *
 *     #/train?task=parity&left=deltanet-1&right=deltanet-2&width=32&length=24&seed=0&begun=yes
 *     #/train?run=beta/betaMax=2/seed-0           a run of the folder that the studio was opened on
 */

import { useEffect, useState } from "preact/hooks";
import { columns } from "../../experiments/zoo/data.ts";
import { errorText } from "../../src/core/error.ts";
import { integer } from "../../src/core/format.ts";
import { readTar } from "../../src/schemas/formats/tar.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, writeAddress } from "../address.ts";
import { Select, type SelectProps, Sources } from "../parts/components.tsx";
import { isServed, refusalOf } from "../server.ts";
import type { Engine } from "../train/runtime.ts";
import {
  budgets,
  type Choice,
  choiceFrom,
  type Device,
  devices,
  objectives,
  pageModels,
  rates,
  tasks,
  widths,
} from "../train/settings.ts";
import type { Origin } from "../train/trainer.worker.ts";
import { Curves, Side } from "../train/training-panel.tsx";
import { type TrainingControl, useTraining } from "../train/use-training.ts";

/** The limit of an opened run: more is not a small model. */
const MOST_BYTES = 200 * 2 ** 20;

/** The same tasks in the zoo: the list has one of the two, the small one unless the other is chosen. */
const TWINS: Readonly<Record<string, string>> = { parity: "zoo-parity", s3: "zoo-s3-swaps" };

interface Begun {
  /** Another one for each beginning. */
  readonly id: number;
  /** What was chosen when it began: a change after that begins nothing by itself. */
  readonly choice?: Choice;
  readonly sides: readonly {
    readonly of: string;
    readonly title: string;
    readonly chance?: number;
    readonly from: Origin;
  }[];
}

export function View({ settings }: ViewProps) {
  const choice = choiceFrom(settings);
  const [engine, setEngine] = useState<Engine>();
  const [lacksWebGpu, setLacksWebGpu] = useState(false);
  const [status, setStatus] = useState("");
  const [problem, setProblem] = useState("");
  const [begun, setBegun] = useState<Begun>();
  const left = useTraining(begun?.sides[0]?.from, engine);
  const right = useTraining(begun?.sides[1]?.from, engine);
  const { id, sides } = begun ?? { id: 0, sides: sidesOf(choice) };
  const both = [left, right].slice(0, sides.length);
  const isBusy = both.some(({ state }) => state === "training");
  const isPaused = both.some(({ state }) => state === "paused");

  const begin = async (made: () => Promise<Begun> | Begun) => {
    setProblem("");
    try {
      const next = await made();
      const device = choice.device === "webgpu" && !(await hasWebGpu()) ? "cpu" : choice.device;
      if (engine?.device !== device) {
        setStatus("Loading ONNX Runtime …");
        setEngine(await loadEngine(device));
      }
      setBegun(next);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setStatus("");
    }
  };
  const { device } = choice;
  useEffect(() => {
    hasWebGpu().then((has) => setLacksWebGpu(!has));
  }, []);
  const { run } = settings;
  useEffect(() => {
    if (run && isServed()) begin(async () => opened(run, await servedRun(run)));
    else if (settings.begun === "yes") begin(() => chosen(choice));
  }, [run]);
  return (
    <>
      <p class="lead">
        To flip a bit or swap two values, a linear recurrence needs an eigenvalue of −1. DeltaNet [-1,1]
        reaches it; the eigenvalues of DeltaNet [0,1] stay in [0, 1].
      </p>
      <Choosing choice={choice} />
      <div class="controls">
        <button
          type="button"
          class="first"
          disabled={status !== ""}
          onClick={() => {
            setSettings({ begun: "yes" }); // the address begins at once
            begin(() => chosen(choice));
          }}
        >
          {begun === undefined ? "Train both" : "Restart"}
        </button>
        {isBusy && (
          <button type="button" onClick={() => both.map((each) => each.pause())}>
            Pause
          </button>
        )}
        {isPaused && (
          <button
            type="button"
            onClick={() => both.map((each) => each.goOn(changeOf(begun?.choice, choice)))}
          >
            Resume
          </button>
        )}
        {begun !== undefined && <span>{progress(sides, both)}</span>}
        <span class="muted" role="status">
          {status !== ""
            ? status
            : engine === undefined
              ? `The first click loads ONNX Runtime, ${devices[lacksWebGpu ? "cpu" : device].megabytes} MB, from this server.`
              : changedSince(begun?.choice, choice, isPaused)}
        </span>
      </div>
      {device === "webgpu" && lacksWebGpu && (
        <p role="alert">This browser offers no WebGPU that ONNX Runtime can use, so the CPU trains.</p>
      )}
      {problem !== "" && <p role="alert">{problem}</p>}
      <Curves titles={sides.map(({ title }) => title)} trainings={both} steps={choice.steps} />
      <div class="curves">
        {sides.map((side, i) => (
          <Side key={`${id} ${side.of}`} {...side} training={both[i]} device={engine?.device} />
        ))}
      </div>
      <Opening open={(made) => begin(made)} />
      <Sources>
        <p>
          Training runs <code>src/train</code> in ONNX Runtime, on one thread of WebAssembly or on WebGPU.
          Tests compare its first losses with the command line; later steps can drift apart.
        </p>
        <p>
          Held-out accuracy is measured on 100 sequences. More architectures and tasks:{" "}
          <a href="#/zoo">the zoo</a>.
        </p>
      </Sources>
    </>
  );
}

/** ONNX Runtime needs an adapter, and WebAssembly that can wait for it (JSPI). */
async function hasWebGpu(): Promise<boolean> {
  return "Suspending" in WebAssembly && Boolean(await navigator.gpu?.requestAdapter());
}

async function loadEngine(device: Device): Promise<Engine> {
  const { file } = devices[device];
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file} could not be loaded (${response.status})`);
  return { device, wasm: await response.arrayBuffer() };
}

function sidesOf(choice: Choice): Begun["sides"] {
  const { chance } = tasks[choice.task];
  return (["left", "right"] as const).map((of) => {
    const model = choice[of];
    const from: Origin = { kind: "choice", choice, model };
    return { of, title: pageModels(choice.task)[model].title, chance, from };
  });
}

let begunSoFar = 0;

const chosen = (choice: Choice): Begun => ({ id: ++begunSoFar, choice, sides: sidesOf(choice) });

const opened = (title: string, files: ReadonlyMap<string, Uint8Array>): Begun => ({
  id: ++begunSoFar,
  sides: [{ of: "opened", title, from: { kind: "folder", files } }],
});

async function servedRun(name: string): Promise<Map<string, Uint8Array>> {
  const response = await fetch(`api/folder?${new URLSearchParams({ name })}`);
  if (!response.ok) throw new Error(await refusalOf(response));
  return readTar(new Uint8Array(await response.arrayBuffer()), name);
}

function progress(sides: Begun["sides"], both: readonly TrainingControl[]): string {
  if (both.some(({ state }) => state === "waiting")) return "Preparing …";
  const stepOf = ({ records, config }: TrainingControl) =>
    config ? `step ${integer(records.at(-1)?.step ?? 0)} of ${integer(config.train.steps)}` : "stopped";
  return sides.map(({ title }, i) => `${title}: ${stepOf(both[i])}`).join("; ");
}

/** What may change meanwhile is the rate and the budget; all else would be another training. */
function changeOf(begun: Choice | undefined, now: Choice): Pick<Choice, "rate" | "steps"> | undefined {
  if (begun === undefined) return undefined;
  const { rate, steps } = now;
  return JSON.stringify({ ...begun, rate, steps }) === JSON.stringify(now) ? { rate, steps } : undefined;
}

function changedSince(begun: Choice | undefined, now: Choice, isPaused: boolean): string {
  if (begun === undefined || JSON.stringify(begun) === JSON.stringify(now)) return "";
  if (changeOf(begun, now) === undefined) return "Settings changed. Restart to apply them.";
  return isPaused
    ? "Resume applies the new learning rate and steps."
    : "Pause and resume to apply the new learning rate and steps.";
}

function Choosing({ choice }: { readonly choice: Choice }) {
  const { task } = choice;
  const { size, column, isText } = tasks[task];
  const models = pageModels(task);
  const of = (isZoo: boolean) =>
    Object.entries(tasks)
      .filter(([, each]) => (each.column !== undefined) === isZoo)
      .filter(([name]) => TWINS[name] !== task && (name === task || !Object.values(TWINS).includes(name)))
      .map(([name, { title }]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ));
  return (
    <div class="controls">
      <label>
        Task{" "}
        <select
          value={task}
          onChange={({ currentTarget }) =>
            setSettings({ task: currentTarget.value, length: undefined, steps: undefined, rate: undefined })
          }
        >
          <optgroup label="Small tasks">{of(false)}</optgroup>
          <optgroup label="Zoo tasks">{of(true)}</optgroup>
        </select>
      </label>
      {size !== undefined && (
        <Setting label={size.label} name={size.name} value={choice[size.name]} options={size.values} />
      )}
      {(["left", "right"] as const).map((side) => (
        <Setting
          key={side}
          label={side === "left" ? "Left" : "Right"}
          name={side}
          value={choice[side]}
          options={Object.entries(models).map(([name, { title }]) => [name, title] as const)}
        />
      ))}
      {column === undefined && <Setting label="Width" name="width" value={choice.width} options={widths} />}
      {isText && (
        <Setting
          label="Loss on"
          name="objective"
          value={choice.objective}
          options={Object.entries(objectives)}
        />
      )}
      <Setting label="Learning rate" name="rate" value={choice.rate} options={rates} />
      <Setting label="Steps" name="steps" value={choice.steps} options={budgets} />
      <Setting label="Seed" name="seed" value={choice.seed} options={[0, 1, 2, 3, 4]} />
      <Setting
        label="Device"
        name="device"
        value={choice.device}
        options={Object.entries(devices).map(([name, { title }]) => [name, title] as const)}
      />
      {column !== undefined && (
        <a href={writeAddress({ view: "zoo", settings: { row: choice.right, column } })}>
          Zoo results for {columns[column].label}
        </a>
      )}
    </div>
  );
}

const Setting = ({ name, ...props }: Omit<SelectProps, "onChange"> & { readonly name: string }) => (
  <Select {...props} onChange={(value) => setSettings({ [name]: value })} />
);

/** A run's folder, or the same as one file. */
function Opening({ open }: { readonly open: (made: () => Promise<Begun>) => void }) {
  const pick = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])];
    if (files.length > 0) open(() => readFiles(files));
  };
  return (
    <details>
      <summary>Open a run folder</summary>
      <div class="controls">
        <label>
          Folder{" "}
          <input
            type="file"
            ref={(input) => input?.setAttribute("webkitdirectory", "")}
            onChange={({ currentTarget }) => pick(currentTarget)}
          />
        </label>
        <label>
          or a .tar file{" "}
          <input type="file" accept=".tar" onChange={({ currentTarget }) => pick(currentTarget)} />
        </label>
      </div>
      <p class="muted">
        Training resumes from the newest checkpoint; the files stay in this page.{" "}
        {isServed() && <a href="#/runs">Runs of the served folder</a>}
      </p>
    </details>
  );
}

const isOfRun = (path: string) =>
  /(?:^|\/)(?:config\.json|metrics\.jsonl|checkpoints\/\d+\/[\w.]+)$/.test(path);

async function readFiles(picked: readonly File[]): Promise<Begun> {
  const tar = picked.length === 1 && picked[0].name.endsWith(".tar") ? picked[0] : undefined;
  const wanted = tar === undefined ? picked.filter((file) => isOfRun(file.webkitRelativePath)) : [tar];
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES)
    throw new Error(`expected a run of at most 200 MB, got ${Math.ceil(bytes / 2 ** 20)} MB`);
  const read = async (file: File) => new Uint8Array(await file.arrayBuffer());
  if (tar !== undefined) return opened(tar.name.replace(/\.tar$/, ""), readTar(await read(tar), tar.name));
  const files = await Promise.all(
    wanted.map(async (file) => [file.webkitRelativePath, await read(file)] as const),
  );
  return opened(picked[0].webkitRelativePath.split("/")[0], new Map(files));
}
