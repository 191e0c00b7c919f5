#!/usr/bin/env node
/**
 * @file The program `statelab`: the table of its commands. Commands are loaded on demand, so that `--help`
 * starts at once. To add a command: write its file (lib/command.ts documents the form) and one entry here, in alphabetical order.
 */

import { type CommandTable, runProgram } from "./lib/dispatch.ts";

export const commands: CommandTable = {
  agent: {
    summary: "run agents in worlds whose best is known: where does their state live?",
    load: () => import("./agent.ts"),
  },
  analyse: {
    summary: "say how a trained model tracks: beta, heads, keys, probes, automata",
    load: () => import("./analyse.ts"),
  },
  ask: {
    summary: "ask a language model what programs do",
    load: () => import("./ask.ts"),
  },
  belief: {
    summary: "compare filters of a hidden state: exact, joint, marginal, windowed",
    load: () => import("./belief.ts"),
  },
  bench: {
    summary: "measure the lab against what a user would otherwise use",
    load: () => import("./bench.ts"),
  },
  check: {
    summary: "examine a model or a task of your own by the lab's own suites",
    load: () => import("./check.ts"),
  },
  compare: {
    summary: "say how much better one run is than another, with its uncertainty",
    load: () => import("./compare.ts"),
  },
  data: {
    summary: "get, import or trace a published benchmark of Python functions",
    load: () => import("./data.ts"),
  },
  debug: {
    summary: "go through a run of a Python function, forwards and backwards",
    load: () => import("./debug.ts"),
  },
  diagnose: {
    summary: "say where a transcript of a model or an agent loses the state",
    load: () => import("./diagnose.ts"),
  },
  doctor: {
    summary: "say what this machine has and whether a model runs on it",
    load: () => import("./doctor.ts"),
  },
  evaluate: {
    summary: "ask a trained model about programs it has not seen",
    load: () => import("./evaluate.ts"),
  },
  export: {
    summary: "write a run as ONNX, for fla and transformers, as curves; or an asking for other harnesses",
    load: () => import("./export.ts"),
  },
  feed: {
    summary: "make the examples of a training that reads them from a stream",
    load: () => import("./feed.ts"),
  },
  generate: {
    summary: "make examples of a task, with their true states",
    load: () => import("./generate.ts"),
  },
  import: {
    summary: "make a run of a model that was trained elsewhere",
    load: () => import("./import.ts"),
  },
  jobs: {
    summary: "say what was submitted to engines, and how far it is",
    load: () => import("./jobs.ts"),
  },
  report: {
    summary: "write a page of any runs: what they were asked, how they learned, where they differ",
    load: () => import("./report.ts"),
  },
  reproduce: {
    summary: "run an experiment of the lab and write its report",
    load: () => import("./reproduce.ts"),
  },
  resume: {
    summary: "go on with an interrupted training",
    load: () => import("./resume.ts"),
  },
  score: {
    summary: "score a file of answers, without asking a model again",
    load: () => import("./score.ts"),
  },
  serve: {
    summary: "serve a trained model by the OpenAI-compatible completions protocol",
    load: () => import("./serve.ts"),
  },
  simulate: {
    summary: "say how long runs would take on clusters where processes and nodes die",
    load: () => import("./simulate.ts"),
  },
  studio: {
    summary: "open the page: watch models track, look at run folders; or build it as a static site",
    load: () => import("./studio.ts"),
  },
  sweep: {
    summary: "train a configuration with several settings and seeds, side by side",
    load: () => import("./sweep.ts"),
  },
  trace: {
    summary: "unroll a Python function into the lines that ran, with the state after each",
    load: () => import("./trace.ts"),
  },
  train: {
    summary: "train a model as a configuration file says",
    load: () => import("./train.ts"),
  },
  worker: {
    summary: "carry out tasks of a submission; what an engine's jobs call",
    load: () => import("./worker.ts"),
  },
};

await runProgram(commands, process.argv.slice(2));
