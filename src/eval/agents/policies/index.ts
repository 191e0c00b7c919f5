/** @file Every policy by name: scripts and prompts for models. To add one: write its file, its test, and one line here. */

import { revealing } from "./active-query.ts";
import { forgetful } from "./bounded-memory.ts";
import { templates } from "./cell-language.ts";
import { endpoint } from "./endpoint.ts";
import { rederive, reuse } from "./knapsack.ts";
import { guessing, tracking } from "./lock.ts";
import { noting } from "./note-taking.ts";
import { planning } from "./shortest-path.ts";

export const policies = {
  ...{ reuse, rederive, forgetful, tracking, guessing, planning, revealing, noting },
  ...{ endpoint, templates },
};
