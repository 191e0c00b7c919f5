/** @file Every policy, by name: scripts, and how models are asked. To add one: write its file, its test, and one line here. */

import { endpoint } from "./endpoint.ts";
import { forgetful } from "./forgetful.ts";
import { guessing } from "./guessing.ts";
import { noting } from "./noting.ts";
import { planning } from "./planning.ts";
import { rederive } from "./rederive.ts";
import { reuse } from "./reuse.ts";
import { revealing } from "./revealing.ts";
import { templates } from "./templates.ts";
import { tracking } from "./tracking.ts";

export const policies = {
  ...{ reuse, rederive, forgetful, tracking, guessing, planning, revealing, noting },
  ...{ endpoint, templates },
};
