/**
 * @file Every command as a user calls it: a call that succeeds by the build, mistakes with their exit code and sentence, both in this
 * process, and a signal to a process where a command can take long. What a command computes is tested one level below.
 */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { allCommands } from "../../src/cli/lib/dispatch.ts";
import { findNative } from "../../src/python/sandbox/native.ts";
import { callBuilt, callStatelab, main, untilLonger, words } from "../kit/cli.ts";
import { deltanet, stoppedRun } from "../kit/runs.ts";
import { tmpFolder } from "../kit/tmp.ts";

delete process.env.STATELAB_DATA; // no benchmark is there
const root = tmpFolder("commands");
const at = (...parts: string[]) => join(root, ...parts);
const examples = new URL("../../examples/", import.meta.url);

/** Files that the calls name: a run, configurations, programs, and what is damaged, empty or something else. */
const files: Readonly<Record<string, string>> = {
  "small.yaml": deltanet,
  "broken.yaml": "task: [1\nmodel: 2\n",
  "empty.yaml": "",
  "space.yaml": "programs: 99\nspace: { model.heads: [3] }\n",
  "rates.yaml": "programs: 16\nrungs: 2\nkeep: 2\nspace: { train.learningRate: [0.001, 0.002] }\n",
  "plain.yaml": "task: { name: repl, variables: 3, commands: 4 }\nmodel: { name: lstm }\n",
  "coin.yaml": "states: [a]\nactions: { throw: { a: { a: 1 } } }\n",
  "plan.yaml": "runs: 4\nrun: { seconds: { exponential: 60 } }\nclusters: [{ name: ours, nodes: 2 }]\n",
  file: "",
  "thesis/thesis.tex": "years of work",
  "f.py": "def f(n):\n    return n\n",
  "add.py":
    "def add(a, b):\n    total = a\n    total += b\n    return total\nassert add(1, 2) == 3\nassert add(2, 2) == 4\n",
  "empty.py": " \n",
  "broken.py": "def f(n:\n",
  "other.json": '{"version": 7}',
  "half.json": '{"version": 1,',
  "words.txt": "Nothing here.\n",
  "chat.json": '[{"role": "assistant", "content": "x = 1"}]',
  "cruxeval.jsonl": `${JSON.stringify({ id: "sample_0", code: "def f(x):\n    return x", input: "1", output: "1" })}\n`,
  "answers.json": '{"sample_0": ["1"]}',
  "damaged.json": '{"sample_0": [',
  "odd.json": '{"sample_0": "1"}',
  "script.jsonl": '{"replies": ["0", "1"]}\n',
  "experiment/result.json": "{}",
  "mine/keep": "",
  "left/run.lock": JSON.stringify({
    ...{ pid: 1, host: "gone.example", since: "2026", command: "statelab train", nonce: "n" },
    processStart: null,
  }),
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(at(name, ".."), { recursive: true });
    writeFileSync(at(name), text);
  }
  for (const name of ["my-model.ts", "my-task.ts", "count.py", "transcript.md"])
    cpSync(new URL(name, examples), at(name));
  await stoppedRun(at("run"));
  mkdirSync(at("unsaved"));
  cpSync(at("run", "config.json"), at("unsaved", "config.json"));
  process.chdir(root);
}, 60_000);

/** What is said of a run that never came to its second stage. */
const stalled = "curriculum stopped at stage 1 of 2; untrained: spacing 2";

/** Its interpreter starts in a tenth of the time; the lab's own is that of doctor, debug and data faults. */
const fast = findNative().kind === "missing" ? "" : " --python native";

/** In this order: some read what others have written. */
const successes: readonly (readonly [line: string, ...prints: (string | RegExp)[]])[] = [
  ["train --resume run", "run: 12 steps done"],
  ["evaluate run", /^test +programs/],
  ["analyze run --only mistakes --programs 10", "report.html"],
  ["export run --out exported", "exported/model.onnx"],
  ["report run", "report.html"],
  ["evaluate run --set commands=10 --programs 7", /^test +programs +all reveals.*\ncommands 10 +7 +[\d.]+ %/],
  [
    "evaluate run --grid commands=4,8 --grid spacing=2,8",
    /^all reveals, commands . spacing +2 +8\n +4 +[\d.]+ % +–\n +8 +[\d.]+ % +[\d.]+ %\n/,
    /left out: repl: expected every spacing to be at most .*\(4\), got 8/,
  ],
  ["train small.yaml --set train.steps=4 --set curriculum.threshold=1 --out other", "4 steps done", stalled],
  ["train small.yaml --set train.steps=4 --log tensorboard --out logged", "logged: 4 steps done"],
  ["evaluate other --json", '"run":"other"', stalled],
  ["analyze other --only mistakes --programs 10", "other/analysis/report.html"],
  ["compare run other", "all reveals", stalled],
  [
    "sweep small.yaml --set train.steps=3 --set curriculum.threshold=1 --seeds 2 --out swept",
    "all reveals",
    stalled,
  ],
  ["train small.yaml --set train.steps=4 --out left --force-unlock", "left: 4 steps done"],
  ["sweep small.yaml --set train.steps=3 --out on --executor local --log tensorboard", "all reveals"],
  [
    "sweep small.yaml --search rates.yaml --trials 2 --log tensorboard --out searched",
    "2 trials, 24 programs",
  ],
  ["cluster status on", "local"],
  ["export run --to hf --out theirs", "theirs/config.json"],
  ["export swept --to latex --out tables", "tables/summary.tex"],
  ["export run other --to csv --name one --name another --out tables", "tables/compared.csv"],
  ["import theirs --config small.yaml --out back", "back"],
  ["agent run lock --runtime calls --policy guessing --episodes 2 --out lock", /runtime +view +episodes/],
  ["llm eval --bench parity --set programs=4 --answers script.jsonl --out asked", /function +output +4 /],
  ["belief --variables 2 --num-reveals 100", "calibration error"],
  ["llm replay --bench parity --set programs=4 --answers script.jsonl --out asked", "no differences"],
  ["llm export asked --to lm-eval --out harness", "harness/results"],
  ["llm export parity --set programs=4 --to hub --out questions", "questions/test.jsonl"],
  ["check my-task.ts", "reveals true"],
  ["data faults --functions add.py --license mit --out faults.jsonl", "program"],
  ["debug count.py --call 'count([1, 2])' --commands end", "The run ends"],
  ["diagnose transcript.md", "total"],
  ["diagnose chat.json", "true state unknown"],
  ["doctor --quick --python embedded", "python, embedded"],
  ["generate repl --count 1", '"reveals"'],
  ["reproduce", "headline"],
  ["list experiments", "headline"],
  ["list", "statelab reproduce NAME"],
  ["list keys --json", '"name": "train.steps"'],
  ["llm score cruxeval answers.json --predict output --data cruxeval.jsonl", /pass@1 +100\.00/],
  ["cluster simulate plan.yaml", "slot time"],
  ["studio --build site", "Wrote site"],
  [`trace count.py --call 'count([1, 2])'${fast}`, "# verified"],
  [`trace count.py --call 'count([1, 2])' --argv x --html run.html${fast}`, "run as: python3 FILE x"],
];

test.each(successes.map(([line, ...prints]) => ({ line, prints })))(
  "statelab $line",
  async ({ line, prints }) => {
    const { code, stdout, stderr } = await callBuilt([line]);
    expect(code, stdout + stderr).toBe(0);
    for (const each of prints) expect(stdout + stderr).toMatch(each);
  },
);

test("each run of an executor and of a search has one event file with its settings and every step", () => {
  const trained = (run: string) => {
    const written = readdirSync(at(run, "tensorboard")).map((name) =>
      readFileSync(at(run, "tensorboard", name), "latin1"),
    );
    const [events, ...others] = written.filter((text) => text !== "");
    expect([others, events.includes("train.learningRate")]).toEqual([[], true]);
    return events.split("train/loss").length - 1;
  };
  expect(["on/seed-0", "searched/trial-000", "searched/trial-001"].map(trained).sort()).toEqual([2, 3, 4]);
});

/** By command: the rest of the line, a part of the sentence, and the exit code where it is not 2. */
const mistakes: Readonly<Record<string, readonly (readonly [string, string | RegExp, number?])[]>> = {
  agent: [
    ["run", /agent run: expected an environment: knapsack, lock, refactor, reveals, .*got "none"/],
    ["run lock", '--policy NAME, got "none"'],
    ["run lock --policy reuse", "--policy: expected one for lock"],
    ["run lock --policy guessing --episodes 0", "--episodes: expected an integer of at least 1"],
    ["run lock --policy guessing --set lock.length=many", "lock: expected length"],
    ["run lock --policy guessing --set reuse.step=3", "--set: expected a parameter"],
    ["run lock --policy guessing --runtime calls,none", "--runtime: expected one of persistent"],
    ["run lock --policy tracking --machine none.yaml", 'the file of a state machine, got "none.yaml"'],
    ["run lock --policy tracking --concepts no.json", "no.json: expected an existing file"],
    ["run lock --policy tracking --control machine", "expected a state machine, --machine FILE"],
    ["run lock --runtime calls --policy guessing --seed 9 --out lock", "expected seed 0, as in its episodes"],
    ["replay lock --seed 3", "agent replay: expected a flag of agent replay"],
    ["report nowhere", "config.json: expected an existing file"],
    ["walk lock", 'agent: expected one of run, report, replay, concepts, got "walk"'],
  ],
  analyze: [
    ["run --only betas", "--only: expected one of beta, taps, ablation"],
    ["run --programs 1", "--programs: expected an integer of at least 10"],
    ["nowhere", "nowhere"],
  ],
  list: [["modells", /list: expected one of tasks, models, .* Did you mean models\?/]],
  "llm eval": [
    ["--bench parityy", "Did you mean parity?"],
    ["--bench parity", "--base-url URL or --answers FILE, got neither"],
    ["--bench parity --task my-task.ts", "--bench, --task: expected one of the two, got both"],
    ["--bench s5 --arm fre --answers script.jsonl", 'mode.0 to be "free" or "forced"'],
  ],
  belief: [
    ["tabel", 'belief: expected table, adversary or the file of an automaton, got "tabel"'],
    ["--probability 1", '--probability: expected a number between 0 and 1, got "1"'],
    ["--variables 7", '--variables: expected at most 6 variables, got "7"'],
    ["--spacing 0", '--spacing: expected an integer of at least 1, got "0"'],
    ["adversary --marginal-update column", "--marginal-update: expected one of row, row+column, sinkhorn"],
    ["coin.yaml --probability 0.5", "It is a flag of belief table and belief adversary"],
    [
      "--query-policy greediest",
      '--query-policy: expected one of random, round-robin, greedy, got "greediest"',
    ],
    ["adversary --query-policy greedy", "belief adversary: expected a flag of belief adversary"],
  ],
  "cluster cancel": [["mine", "mine: expected a folder with submissions"]],
  check: [["nowhere.ts", "nowhere.ts: expected an existing file"]],
  compare: [
    ["nowhere run", "nowhere"],
    ["run other --name one", '--name: expected different names for run, other, in this order, got "one"'],
  ],
  data: [
    ["fetch cruxeval", 'data: expected one of get, import, trace, faults, got "fetch"'],
    ["get cruxeval --max-steps 4", 'got "--max-steps". It is a flag of data trace'],
    ["get cruxeval --url nonsense", '--url: expected an http or https address, got "nonsense"'],
    ["import cruxeval nowhere.jsonl", "nowhere.jsonl: expected an existing file"],
    ["import cruxeval .", 'expected a file, got "a folder"'],
    ["import cruxeval f.py", /expected the published file of cruxeval .* Get the original file/, 3],
    ["get cruxeval --url http://127.0.0.1:9/", "http://127.0.0.1:9/", 5],
    ["trace mbpp", "Run this first: statelab data import mbpp FILE"],
    ["faults", 'a benchmark: cruxeval, mbpp, got "none". Or give --functions DIR|FILE'],
  ],
  dap: [["a.py", 'dap: expected flags only, got "a.py"']],
  mcp: [
    ["--root nowhere", '--root: expected an existing folder, got "nowhere"'],
    ["--port 99999", '--port: expected a port up to 65535, got "99999"'],
  ],
  debug: [
    ["none.py", "none.py"],
    ["other.json", 'expected a history of a run, got "version', 3],
    ["half.json", "half.json", 3],
    ["other.json --call f(1)", "--call: expected a Python program to run"],
    ["empty.py", 'expected a Python program or a recorded run, got "an empty file"'],
    ["f.py", 'Add --call "f(...)"'],
    ["-", 'expected --commands, got "none"'],
    ["f.py --call f(1) --max-steps 0", "--max-steps: expected an integer of at least 1"],
  ],
  diagnose: [
    ["words.txt", "words.txt: expected a transcript: ", 3],
    ["no.json", "no.json: expected an existing file"],
    ["chat.json --call f()", "--call: expected --program FILE"],
    ["chat.json --only b", "--only: expected the name of a transcript"],
    ["chat.json --program words.txt", "words.txt"],
    ["mine", 'expected a file, got "a folder"'],
  ],
  doctor: [["--jsno", 'doctor: expected a known flag, got "--jsno". Did you mean --json?']],
  evaluate: [
    ["nowhere", /nowhere: expected the folder of a run .*, got a path that does not exist/],
    ["run --programs 0", '--programs: expected an integer of at least 1, got "0"'],
    ["run --set variables=5", /variables 5: expected words of the run's vocabulary, got "d e/],
  ],
  export: [
    ["nowhere --out never", "nowhere: expected the folder of a run"],
    ["unsaved --out never", /expected a run with a checkpoint, .*statelab train --resume unsaved/],
    ["run --checkpoint 150 --out never", /expected a checkpoint of step .*, got 150$/],
    ["run --checkpoint last --out never", '--checkpoint: expected a step, best, ema or mean, got "last"'],
    ["", /export: expected at least 1 argument, .*Usage: statelab export RUN/],
    ["run nowhere --to csv --out never", "nowhere: expected the folder of a run"],
    ["run other --out never", 'export: expected one folder of a run, got "other"'],
    ["run --name x --out never", "export: expected --name with --to csv, parquet, latex, svg"],
  ],
  "cluster data-worker": [
    ["run", /expected data\.async, got "none".* --set data\.async\.prefetch=4/],
    ["nowhere", "nowhere: expected the folder of a run (with a config.json)"],
  ],
  generate: [
    ["rpel", 'task: expected the name of a task, got "rpel". Did you mean repl?'],
    ["", "generate: expected either TASK or --task FILE, got neither"],
    ["repl --task x.ts", "expected either TASK or --task FILE, got both"],
    ["--task ./nowhere.ts", "./nowhere.ts: expected an existing file"],
    ["repl --count -1", '--count: expected an integer of at least 0, got "-1"'],
    ["repl --seed x", '--seed: expected an integer, got "x"'],
    ["repl --set variable=3", "Did you mean variables?"],
    ["repl --set spacing=40", "every spacing to be at most the number of commands (12), got 40"],
    ["repl --format csv", '--format: expected one of jsonl, parquet, got "csv"'],
    ["repl --format parquet", "--format parquet: expected --out DIR"],
    ["repl --out no --split a/b", "expected a split named by letters and digits"],
  ],
  import: [["nowhere --config plain.yaml --out no", "nowhere"]],
  "cluster status": [["mine", "mine: expected a folder with submissions"]],
  report: [
    ["nowhere", 'nowhere: expected a run, or a folder of runs, got "no such folder"'],
    ["experiment", "is the page that reproduce wrote"],
  ],
  reproduce: [
    ["headlin", 'got "headlin". Did you mean headline?'],
    [
      "repl-losses --only gru",
      'expected one of its options, got "--only". It is an option of headline, repl-spacing, repl-extrapolation and zoo',
    ],
    [
      "headline --only gru",
      '--only: expected models of deltanet[-1,1], deltanet[0,1], lstm and transformer, got "gru"',
    ],
  ],
  "llm export": [
    ["asked", "--to generations, lm-eval, inspect, dataset, hub, got none"],
    ["paritty --to hub", "Did you mean parity?"],
    ["nowhere --to inspect", "nowhere"],
  ],
  "llm judge": [["--python nowhere", "--python: expected one of auto, "]],
  "llm replay": [["--bench parity --answers script.jsonl --out nowhere", "nowhere"]],
  "llm score": [
    ["cruxeval no.json --predict output", "no.json: expected an existing file"],
    ["cruxeval answers.json --predict sideways", "--predict: expected one of input, output"],
    ["cruxeval damaged.json --predict output", "damaged.json: expected JSON", 3],
    ["parity answers.json", "expected a log of inspect_ai"],
    ["cruxeval odd.json --predict output --data cruxeval.jsonl", "odd.json: expected sample_0 to be"],
  ],
  serve: [
    ["run --port 70000", '--port: expected a port up to 65535, got "70000"'],
    ["run --host 0.0.0.0", /expected a key for a host that others can reach, .*--api-key-env NAME/],
    ["run --api-key-env NO_SUCH_KEY", "expected a key in the environment variable NO_SUCH_KEY"],
    ["run --max-requests 0", '--max-requests: expected an integer of at least 1, got "0"'],
    ["nowhere", "nowhere: expected the folder of a run"],
  ],
  "cluster simulate": [
    ["none.yaml", "none.yaml: expected an existing file, got "],
    ["plan.yaml --set run.second=3", "Did you mean run.seconds?"],
    ["plan.yaml --set clusters=[]", "expected clusters to be at least 1 elements long"],
    ["plan.yaml --set clusters.0.share=0", "clusters: expected a share above 0, got [0]"],
    ["plan.yaml --grid runs=1,0", "with runs=0: "],
    ["plan.yaml --print-plan --set runs=x", "expected runs to be a number"],
    ["plan.yaml --plot x.svg", "--plot: expected --grid KEY=V1,V2"],
    ["plan.yaml --plot x.png --grid runs=1,2", "--plot: expected a file that ends in .svg"],
    ["plan.yaml --plot x.svg --grid 'run.seconds={uniform: [1, 2]}'", "for the x axis"],
    ["plan.yaml --seeds 0", "--seeds: expected an integer of at least 1"],
    ["plan.yaml --metric make", "--metric: expected one of makespan, used, lost, attempts"],
  ],
  studio: [
    ["nowhere", "nowhere: expected a folder of runs"],
    ["--host 0.0.0.0 --no-open", "expected an address of this machine"],
    ["--port 70000", "expected a port up to 65535"],
    ["mine --build other", "A static site has no runs"],
    ["--build mine", '--build: expected a new or empty folder, got "mine"'],
  ],
  sweep: [
    ["small.yaml", 'sweep: expected --out DIR, got "nothing"'],
    [
      "small.yaml --out x --grid train.batch=4,many",
      /batch="many": small\.yaml: expected train\.batch to be/,
    ],
    ["small.yaml --out x --search space.yaml", "with model.heads=3: "],
    ["small.yaml --out x --executor local --detach", "--detach with slurm or redis"],
    ["small.yaml --out x --executor local --overwrite", "sweep: expected --executor without --overwrite"],
    ["small.yaml --out x --executor lokal", "Did you mean local?"],
    ["small.yaml --out x --on local", 'expected a known flag, got "--on". Did you mean --executor?'],
  ],
  trace: [
    ["nowhere.py", 'nowhere.py: expected an existing file, got "none"'],
    [".", '.: expected a file, got "a folder"'],
    ["empty.py", "expected a Python program"],
    ["f.py", 'Add --call "f(...)"'],
    ["f.py --call ' '", "--call: expected a call"],
    ["f.py --call f(1) --format yaml", "one of aligned, code, states, jsonl, cwm"],
    ["f.py --call g(1)", /it defines f$/, 1],
    ["f.py --call f(1) --stdin nowhere.txt", 'nowhere.txt: expected an existing file, got "none"'],
  ],
  train: [
    ["small.yaml --out x --log wandb", '--log: expected one of tensorboard, got "wandb"'],
    ["small.yaml --out x --set train.stpes=3", 'in train, got "stpes". Did you mean train.steps?'],
    ["small.yaml --out x --set train.steps=many", 'expected train.steps to be a number, got "many"'],
    ["small.yaml --out x --set task.comands=3", /task: expected one of .*Did you mean commands\?/],
    [
      "small.yaml --out x --set model.name=lstn",
      /model: expected the name of a model, got "lstn"\. Did you mean lstm/,
    ],
    ["small.yaml --out x --set model.heads=3", "model: expected heads that divide width 8, got 3"],
    ["small.yaml --out x --set model.witdh=3", "Did you mean width?"],
    ["small.yaml --out x --set 'curriculum.stages=[[{spcing: 1}]]'", /curriculum\.stages\.0\.0: .*"spcing"/],
    ["small.yaml --out x --set 'evaluate.settings=[{}, {spcing: 1}]'", /evaluate\.settings\.1: .*"spcing"/],
    ["plain.yaml --out x --set data.async.prefetch=1 --set train.padding=bucket", "train.padding: expected "],
    [
      "small.yaml --out x --set data.async.prefetch=0",
      "expected data.async.prefetch to be at least 1, got 0",
    ],
    ["nowhere.yaml", 'nowhere.yaml: expected a readable YAML file, got "no such file"'],
    ["mine", 'mine: expected a readable YAML file, got "a folder"'],
    ["broken.yaml", /broken\.yaml, line \d, column \d: expected YAML, got /],
    ["empty.yaml", 'empty.yaml: expected task (an object), got "nothing"'],
    ["small.yaml --model ./gone.ts", 'gone.ts: expected an existing file, got "no such file"'],
    ["small.yaml --out file/x", "file/x: expected a place where folders can be made"],
    ["--resume nowhere", /nowhere: expected the folder of a run .*, got a path that does not exist/],
    ["--resume run small.yaml", "train: expected either CONFIG.yaml or --resume RUN, got both"],
    ["--resume run --out x", 'train --resume: expected options of an existing run, got "--out"'],
    ["", "train: expected CONFIG.yaml or --resume RUN, got neither"],
    ["small.yaml --out run", /run: expected a new or empty folder, got .*statelab train --resume run/],
    ["small.yaml --out thesis --overwrite", 'thesis: expected a new or empty folder, got "thesis.tex"'],
  ],
  zoo: [
    ["./gone.ts", './gone.ts: expected an existing file, got "none"'],
    ["--only deltanett", "Did you mean deltanet?"],
  ],
  "cluster worker": [["mine --task 0", "mine: expected the folder of a submission"]],
};

const entries = () => readdirSync(root, { recursive: true }).toSorted();

test.each(Object.entries(mistakes))(
  "a mistake in statelab %s is one sentence with its exit code, and nothing is written",
  async (command, cases) => {
    const before = entries();
    for (const [rest, sentence, wanted = 2] of cases) {
      const { code, stdout, stderr } = await callStatelab([`${command} ${rest}`]);
      expect(stderr, rest).toMatch(sentence);
      expect(stderr, rest).toMatch(/^statelab: [^\n]*$/);
      expect([code, stdout], rest).toEqual([wanted, ""]);
    }
    expect(entries()).toEqual(before);
  },
);

test("every command has a call that succeeds or is long, and a mistake", () => {
  const listed = Object.keys(allCommands(commands));
  expect(Object.keys(mistakes).toSorted()).toEqual(listed.toSorted());
  const lines = [...successes.map(([line]) => line), ...long.map(([, line]) => line)];
  expect(listed.filter((name) => !lines.some((line) => `${line} `.startsWith(`${name} `)))).toEqual([
    "zoo",
    "dap",
    "mcp",
    "llm judge",
    "cluster cancel",
    "cluster worker",
    "cluster data-worker",
  ]); // their own tests
});

/** The signal, the line, and a file that grows when the command is at work; begun together, since each is waited for. */
const long: readonly (readonly [signal: "SIGINT" | "SIGTERM", line: string, grows: string])[] = [
  ["SIGTERM", "evaluate run --programs 10000000 --save-predictions reveals.jsonl", ""],
  ["SIGINT", "analyze run --programs 10000000", ""],
  ["SIGTERM", "generate repl --count 1000000000", "stdout"],
  ["SIGINT", "generate repl --count 1000000 --json", ""],
  ["SIGINT", "belief --num-reveals 100000000", ""],
  ["SIGINT", "train small.yaml --set train.steps=1000000 --out endless", "endless/metrics.jsonl"],
  [
    "SIGINT",
    "sweep small.yaml --set train.steps=1000000 --out endless-sweep",
    "endless-sweep/seed-0/metrics.jsonl",
  ],
  ["SIGINT", "serve run --port 0 --json", "stdout"],
  ["SIGTERM", "studio mine --port 0 --json", "stdout"],
];

test.concurrent.each(long.map((each, i) => [...each, i] as const))(
  "%s ends statelab %s within seconds",
  async (signal, line, grows, i) => {
    const stdout = `out-${i}`;
    const out = openSync(at(stdout), "w"); // a file, into which Node writes without ever waiting
    const child = spawn(process.execPath, [main, ...words(line)], {
      cwd: root,
      stdio: ["ignore", out, "ignore"],
    });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    if (grows === "") await new Promise((resolve) => setTimeout(resolve, 4000));
    else await untilLonger(at(grows === "stdout" ? stdout : grows), 0);
    const asked = performance.now();
    child.kill(signal);
    const last = setTimeout(() => child.kill("SIGKILL"), 20_000);
    expect(await ended).toBe(signal === "SIGINT" ? 130 : 143);
    clearTimeout(last);
    expect(performance.now() - asked).toBeLessThan(10_000);
  },
  60_000,
);

test("the user's files are as they were, pages say what was not trained, and the static site is whole", () => {
  expect(readFileSync(at("other", "analysis", "report.html"), "utf8")).toContain(stalled);
  expect(readFileSync(at("thesis", "thesis.tex"), "utf8")).toBe("years of work");
  for (const name of ["index.html", "main.js", "models.worker.js"])
    expect(existsSync(at("site", name))).toBe(true);
});
