/** @file The views, in the order of the navigation; the first is the one that a visitor lands on. */

import type { View } from "../view.ts";

export const views: readonly View[] = [
  { name: "shell-game", title: "Shell game", load: () => import("./shell-game.tsx") },
  { name: "train", title: "Train it", load: () => import("./train.tsx") },
  { name: "theatre", title: "Memory", load: () => import("./theatre.tsx") },
  { name: "machine", title: "Machine", load: () => import("./machine.tsx") },
  { name: "belief", title: "Belief", load: () => import("./belief.tsx") },
  { name: "trace", title: "Trace yours", load: () => import("./trace.tsx") },
  { name: "zoo", title: "Zoo", load: () => import("./zoo.tsx") },
  { name: "answers", title: "Answers", needsServer: true, load: () => import("./answers.tsx") },
  { name: "episodes", title: "Episodes", needsServer: true, load: () => import("./episodes.tsx") },
  { name: "runs", title: "Runs", needsServer: true, load: () => import("./runs.tsx") },
];
