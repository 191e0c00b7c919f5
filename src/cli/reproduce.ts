/** @file statelab reproduce: run an experiment, print its table, write its report. */

import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { type Scale, scales } from "../../experiments/experiment.ts";
import { experimentNamed, experiments } from "../../experiments/index.ts";
import type { JobProgress } from "../../experiments/job.ts";
import { runExperiment } from "../../experiments/run.ts";
import { choiceFlag, defineCommand, integerFlag, seedOption } from "./command.ts";
import { duration, type Progress, progressOn } from "./progress.ts";
import { textTable } from "./table.ts";

export const command = defineCommand({
  name: "reproduce",
  summary: "run an experiment of the lab and write its report",
  usage: "reproduce EXPERIMENT [--scale smoke|laptop|paper] [--seeds N]",
  positionals: { least: 0, most: 1 },
  options: {
    scale: {
      type: "string",
      value: "SCALE",
      default: "laptop",
      description: "smoke: seconds; laptop: minutes; paper: the published sizes",
    },
    seeds: {
      type: "string",
      value: "N",
      default: "1",
      description: "repeat with N seeds: --seed, and the ones after it",
    },
    seed: seedOption,
    jobs: {
      type: "string",
      value: "N",
      default: "2",
      description: "trainings at the same time, one thread each",
    },
    device: {
      type: "string",
      value: "DEVICE",
      description: "cpu, cuda or webgpu; default as the scale says",
    },
    out: {
      type: "string",
      value: "DIR",
      default: "runs",
      description: "where the experiment's folder is made",
    },
    list: { type: "boolean", description: "list the experiments" },
  },
  examples: ["reproduce headline", "reproduce headline --seeds 5", "reproduce headline --scale smoke --json"],
  notes:
    "Writes DIR/EXPERIMENT/{report.html, result.json, figures/} and a run's folder for each model and seed.\n" +
    "Interrupted, it goes on where it was when it is called again.",

  async run({ positionals: [name], values, json, print, say, signal }) {
    if (values.list || name === undefined) {
      const rows = Object.values(experiments).map((each) => [each.name, each.question]);
      if (json)
        print(
          JSON.stringify(
            rows.map(([id, question]) => ({ name: id, question })),
            null,
            2,
          ),
        );
      else print(textTable({ columns: ["experiment", "question"], rows }));
      return 0;
    }
    const experiment = experimentNamed(name);
    const scale: Scale = choiceFlag("--scale", values.scale, scales);
    const first = integerFlag("--seed", values.seed, 0);
    const seeds = Array.from({ length: integerFlag("--seeds", values.seeds, 1) }, (_, i) => first + i);
    const jobs = integerFlag("--jobs", values.jobs, 1);
    const device =
      values.device === undefined
        ? undefined
        : choiceFlag("--device", values.device, ["cpu", "cuda", "webgpu"]);
    const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
    const show = showing(progress, Math.min(jobs, availableParallelism()));
    const typed = ["statelab reproduce", name, `--scale ${scale}`, `--seeds ${seeds.length}`];
    if (first !== 0) typed.push(`--seed ${first}`);
    if (device !== undefined) typed.push(`--device ${device}`);
    const ran = await runExperiment(experiment, {
      scale,
      seeds,
      jobs,
      device,
      folder: values.out,
      command: typed.join(" "),
      date: new Date().toISOString().slice(0, 10),
      signal,
      now: () => performance.now(),
      ...show,
    }).finally(() => progress.close());
    if (ran.interrupted) {
      say(`statelab: interrupted; everything is saved. Go on by: ${typed.join(" ")}`);
      return 1;
    }
    const { result, failures } = ran;
    if (result === undefined) return 1;
    if (json) print(JSON.stringify(result));
    else {
      print("");
      const { table, legend } = experiment.report(result);
      print(textTable(table));
      print("");
      print(legend.join("\n"));
      print("");
      for (const finding of result.findings) print(`  ! ${finding}`);
      print(`${duration(result.seconds)}. Open ${relative(process.cwd(), result.report)} in a browser.`);
    }
    for (const failure of failures) say(`statelab: a run failed: ${failure}`);
    return failures.length === 0 ? 0 : 1;
  },
});

type Run = {
  readonly setting: string;
  readonly model: string;
  readonly config: { readonly seed: number; readonly train: { readonly steps: number } };
};

/** Progress lines, one a training; after 20 steps of each kind of model the time that is left in all is said once. */
function showing(progress: Progress, workers: number) {
  let total = 0;
  let ended = 0;
  let told = false;
  const costs = new Map<string, number>(); // seconds a step, by model
  const nameOf = ({ setting, model, config }: Run) => `${setting} ${model} seed ${config.seed}`.trim();
  return {
    onStart: (_run: Run, runs: number) => {
      total = runs;
    },
    onProgress: (run: Run, event: JobProgress) => {
      const name = nameOf(run);
      const { steps } = run.config.train;
      if (event.kind === "start") {
        const mebibytes = Math.ceil(event.bytes / 2 ** 20);
        progress.say(
          `${name}: ${event.parameters} parameters, about ${mebibytes} MiB and ${duration(event.seconds)} of training`,
        );
      } else if (event.kind === "step") {
        const { step, loss, accuracy, tokensPerSecond, stage } = event;
        progress.update(name, { step, steps, loss, accuracy, tokensPerSecond, note: `stage ${stage}` });
        if (step >= 20) costs.set(run.model, event.secondsPerStep);
        if (!told && costs.size >= Math.min(workers, total)) {
          told = true;
          const mean = [...costs.values()].reduce((a, b) => a + b, 0) / costs.size;
          const left = ((total - ended) * steps * mean) / Math.min(workers, total);
          progress.say(`about ${duration(left)} left in all`);
        }
      } else progress.update(name, { step: steps, steps, note: `asked about ${event.test}` });
    },
    onEnd: (run: Run, how: "done" | "failed" | "stopped", words: string) => {
      ended++;
      const told = { done: "trained and tested", stopped: "stopped and saved", failed: `failed: ${words}` };
      progress.end(nameOf(run), told[how]);
    },
  };
}
