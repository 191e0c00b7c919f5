/** @file Every world, runtime, view, control and policy of agents, by name. To add one: write its file, its test, and one line here. */

import { concepts } from "./context/concepts.ts";
import { full, json, notes, runtime, self, summary, window } from "./context/view.ts";
import { checkRetry, free } from "./controllers/controller.ts";
import { machine } from "./controllers/machine.ts";
import { apiWorlds, planning } from "./environments/api.ts";
import { noting, reading } from "./environments/document-reading.ts";
import { knapsack, rederive, reuse } from "./environments/knapsack.ts";
import { guessing, lock, tracking } from "./environments/lock.ts";
import { forgetful, refactor } from "./environments/refactor.ts";
import { revealing, reveals } from "./environments/reveals.ts";
import { templates } from "./policies/cell-language.ts";
import { endpoint } from "./policies/endpoint.ts";
import { persistent, stateless } from "./runtimes/runtime.ts";
import { calls } from "./runtimes/tools-only.ts";

export const environments = {
  knapsack,
  lock,
  refactor,
  reveals,
  reading,
  "api-session": apiWorlds.session.world,
  "api-tensors": apiWorlds.tensors.world,
  "api-files": apiWorlds.files.world,
};

export const runtimes = { persistent, stateless, calls };

export const views = { full, window, runtime, json, notes, summary, self, concepts };

export const controls = { free, "check-retry": checkRetry, machine };

export const policies = {
  ...{ reuse, rederive, forgetful, tracking, guessing, planning, revealing, noting },
  ...{ endpoint, templates },
};
