/**
 * @file The table of commands, in the groups and the order of `statelab --help`. Commands are loaded on demand, so that `--help`
 * starts at once. To add a command: write its file (lib/command.ts documents the form) and one entry here, with the same summary.
 */

import type { CommandTable } from "./lib/dispatch.ts";

export const commands: CommandTable = {
  "Start here": {
    reproduce: {
      summary: "run a published experiment, such as headline",
      load: () => import("./reproduce.ts"),
    },
    zoo: {
      summary: "compare your own architecture with the built-in ones",
      load: () => import("./zoo.ts"),
    },
    studio: {
      summary: "open the web app: watch models, inspect runs",
      load: () => import("./studio.ts"),
    },
    list: {
      summary: "list tasks, models, experiments, benchmarks, settings",
      load: () => import("./list.ts"),
    },
    doctor: {
      summary: "check this machine: runtime, devices, sandboxes",
      load: () => import("./doctor.ts"),
    },
  },
  "Train and test models": {
    train: {
      summary: "train a model, or continue an interrupted training",
      load: () => import("./train.ts"),
    },
    sweep: {
      summary: "train many settings and seeds, or search settings",
      load: () => import("./sweep.ts"),
    },
    check: {
      summary: "test your own model or task file",
      load: () => import("./check.ts"),
    },
    evaluate: {
      summary: "test a trained model on unseen programs",
      load: () => import("./evaluate.ts"),
    },
    compare: {
      summary: "compare runs, with confidence intervals",
      load: () => import("./compare.ts"),
    },
    analyze: {
      summary: "find out how a model tracks state",
      load: () => import("./analyze.ts"),
    },
    report: {
      summary: "write an HTML page about runs",
      load: () => import("./report.ts"),
    },
  },
  "Exchange models": {
    export: {
      summary: "write ONNX, safetensors, CSV or Hugging Face files",
      load: () => import("./export.ts"),
    },
    import: {
      summary: "load a checkpoint trained elsewhere",
      load: () => import("./import.ts"),
    },
    serve: {
      summary: "serve a model over the OpenAI protocol",
      load: () => import("./serve.ts"),
    },
  },
  "Programs and data": {
    generate: {
      summary: "print or save examples of a task",
      load: () => import("./generate.ts"),
    },
    trace: {
      summary: "unroll a Python call into the lines that ran",
      load: () => import("./trace.ts"),
    },
    debug: {
      summary: "step through a Python run, forwards and backwards",
      load: () => import("./debug.ts"),
    },
    dap: {
      summary: "debug Python in an editor, forwards and backwards",
      load: () => import("./dap.ts"),
    },
    diagnose: {
      summary: "find where a transcript loses the state",
      load: () => import("./diagnose.ts"),
    },
    mcp: {
      summary: "give agents the debugger, tracer and runs (MCP)",
      load: () => import("./mcp.ts"),
    },
    data: {
      summary: "download and trace CRUXEval and MBPP, insert faults",
      load: () => import("./data.ts"),
    },
  },
  "Language models and agents": {
    llm: {
      summary: "evaluate language models: eval, score, export, judge, replay",
      family: {
        eval: {
          summary: "evaluate a language model on programs",
          load: () => import("./llm/eval.ts"),
        },
        score: {
          summary: "score saved answers, without a model",
          load: () => import("./llm/score.ts"),
        },
        export: {
          summary: "write an evaluation or a benchmark for other harnesses",
          load: () => import("./llm/export.ts"),
        },
        judge: {
          summary: "judge replies, one JSON line each",
          load: () => import("./llm/judge.ts"),
        },
        replay: {
          summary: "recompute an evaluation from its saved answers",
          load: () => import("./llm/replay.ts"),
        },
      },
    },
    agent: {
      summary: "run agents in environments with known optima",
      load: () => import("./agent.ts"),
    },
  },
  Theory: {
    belief: {
      summary: "compare Bayes filters of a hidden state",
      load: () => import("./belief.ts"),
    },
  },
  Clusters: {
    cluster: {
      summary: "show, cancel, run or simulate submitted work",
      family: {
        status: {
          summary: "show submitted work and its progress",
          load: () => import("./cluster/status.ts"),
        },
        cancel: {
          summary: "cancel submitted work; results so far are kept",
          load: () => import("./cluster/cancel.ts"),
        },
        worker: {
          summary: "run submitted tasks on this machine",
          load: () => import("./cluster/worker.ts"),
        },
        "data-worker": {
          summary: "produce training data for a running training",
          load: () => import("./cluster/data-worker.ts"),
        },
        simulate: {
          summary: "predict run times on clusters with failures",
          load: () => import("./cluster/simulate.ts"),
        },
      },
    },
  },
};
