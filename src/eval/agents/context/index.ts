/** @file Every view, by name. To add one: write its file, its test, and one line here. */

import { concepts } from "./concepts.ts";
import { summary } from "./dedup-summary.ts";
import { full } from "./full.ts";
import { json } from "./json-results.ts";
import { runtime } from "./namespace.ts";
import { notes } from "./notes.ts";
import { window } from "./sliding-window.ts";
import { self } from "./status-block.ts";

export const views = { full, window, runtime, json, notes, summary, self, concepts };
