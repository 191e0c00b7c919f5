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
