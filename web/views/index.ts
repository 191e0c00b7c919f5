/** @file The views: each is one file of this folder and a line of the list below. */

import type { ComponentType } from "preact";
import type { ViewProps } from "../address.ts";

export interface View {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  /** What the view answers: its heading, and the description of the page. */
  readonly question: string;
  /** Only where the lab serves the page: there are run folders to show. */
  readonly needsServer?: true;
  /** Loaded when it is opened. */
  load(): Promise<{ readonly View: ComponentType<ViewProps> }>;
}

/** In the order of the navigation; a visitor starts at the first one. */
export const views: readonly View[] = [
  {
    name: "shell-game",
    title: "Shell game",
    question: "Which model keeps track of the cups?",
    load: () => import("./shell-game.tsx"),
  },
  {
    name: "train",
    title: "Train",
    question: "How does a model learn to track a state?",
    load: () => import("./train.tsx"),
  },
  {
    name: "memory",
    title: "Memory",
    question: "Where does a DeltaNet store the state?",
    load: () => import("./memory.tsx"),
  },
  {
    name: "automaton",
    title: "Automaton",
    question: "Which automaton does a model compute?",
    load: () => import("./automaton.tsx"),
  },
  {
    name: "belief",
    title: "Belief",
    question: "What can be known when swaps are hidden?",
    load: () => import("./belief.tsx"),
  },
  {
    name: "trace",
    title: "Trace",
    question: "What does a Python program do, line by line?",
    load: () => import("./trace.tsx"),
  },
  {
    name: "zoo",
    title: "Zoo",
    question: "Which architecture tracks which state?",
    load: () => import("./zoo.tsx"),
  },
  {
    name: "answers",
    title: "Answers",
    question: "Where does a language model lose the state?",
    needsServer: true,
    load: () => import("./answers.tsx"),
  },
  {
    name: "episodes",
    title: "Episodes",
    question: "Where does an agent lose the state?",
    needsServer: true,
    load: () => import("./episodes.tsx"),
  },
  {
    name: "runs",
    title: "Runs",
    question: "Which run is better?",
    needsServer: true,
    load: () => import("./runs.tsx"),
  },
];
