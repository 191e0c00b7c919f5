/** @file Every view, by name. To add one: write its file, its test, and one line here. */

import { concepts } from "./concepts.ts";
import { summary } from "./dedup-summary.ts";
import { runtime } from "./namespace.ts";
import { notes } from "./notes.ts";
import { self } from "./status-block.ts";
import { full, json, window } from "./view.ts";

export const views = { full, window, runtime, json, notes, summary, self, concepts };
