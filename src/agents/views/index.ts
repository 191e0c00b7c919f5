/** @file Every view, by name. To add one: write its file, its test, and one line here. */

import { full } from "./full.ts";
import { json } from "./json.ts";
import { notes } from "./notes.ts";
import { runtime } from "./runtime.ts";
import { window } from "./window.ts";

export const views = { full, window, runtime, json, notes };
