/** @file Every policy, by name: scripts, and how models are asked. To add one: write its file, its test, and one line here. */

import { revealing } from "./active-query.ts";
import { forgetful } from "./bounded-memory.ts";
import { templates } from "./cell-language.ts";
import { endpoint } from "./endpoint.ts";
import { tracking } from "./noisy-tracker.ts";
import { noting } from "./note-taking.ts";
import { guessing } from "./random.ts";
import { rederive } from "./recompute.ts";
import { reuse } from "./reuse-variables.ts";
import { planning } from "./shortest-path.ts";

export const policies = {
  ...{ reuse, rederive, forgetful, tracking, guessing, planning, revealing, noting },
  ...{ endpoint, templates },
};
