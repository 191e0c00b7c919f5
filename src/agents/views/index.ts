/** @file Every view, by name. To add one: write its file, its test, and one line here. */

import { concepts } from "./concepts.ts";
import { full } from "./full.ts";
import { json } from "./json.ts";
import { notes } from "./notes.ts";
import { runtime } from "./runtime.ts";
import { self } from "./self.ts";
import { summary } from "./summary.ts";
import { window } from "./window.ts";

export const views = { full, window, runtime, json, notes, summary, self, concepts };
