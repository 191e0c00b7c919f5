/** @file The views: each is one file of this folder and a line of the list below. */

import type { ComponentType } from "preact";
import type { ViewProps } from "../address.ts";

export interface View {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  /** Only where the lab serves the page: there are run folders to show. */
  readonly needsServer?: true;
  /** Loaded when it is opened. */
  load(): Promise<{ readonly View: ComponentType<ViewProps> }>;
}

/** In the order of the navigation; a visitor starts at the first one. */
export const views: readonly View[] = [
  { name: "shell-game", title: "Shell game", load: () => import("./shell-game.tsx") },
  { name: "train", title: "Train", load: () => import("./train.tsx") },
  { name: "theatre", title: "Memory", load: () => import("./theatre.tsx") },
  { name: "machine", title: "Automaton", load: () => import("./machine.tsx") },
  { name: "belief", title: "Belief", load: () => import("./belief.tsx") },
  { name: "trace", title: "Trace", load: () => import("./trace.tsx") },
  { name: "zoo", title: "Zoo", load: () => import("./zoo.tsx") },
  { name: "answers", title: "Answers", needsServer: true, load: () => import("./answers.tsx") },
  { name: "episodes", title: "Episodes", needsServer: true, load: () => import("./episodes.tsx") },
  { name: "runs", title: "Runs", needsServer: true, load: () => import("./runs.tsx") },
];

/** What each view answers: the description of the page. */
export const questions: Readonly<Record<string, string>> = {
  "shell-game": "Which model keeps track of the cups?",
  train: "How does a model learn to track a state?",
  theatre: "Where does a DeltaNet store the state?",
  machine: "Which automaton does a model compute?",
  belief: "What can be known when swaps are hidden?",
  trace: "What does a Python function do, line by line?",
  zoo: "Which architecture tracks which state?",
  answers: "Where does a language model lose the state?",
  episodes: "Where does an agent lose the state?",
  runs: "Which run is better?",
};
