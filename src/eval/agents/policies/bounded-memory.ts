/** @file Forgetful: edits any file that it does not remember, and remembers its last W edits, if they are shown to it. */

import { z } from "zod";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({ window: z.int().min(0).default(4) });

export const forgetful: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "forgetful",
  summary: "edits any file that is not among its last W edits (forgetful.window)",
  params: Params,
  worlds: ["refactor"],
  decide({ task, messages }, { window }, rng) {
    const [, list] = /these files: (.*)$/m.exec(task)!;
    const edits = messages.flatMap(({ role, text }) => {
      if (role === "assistant") return /^edit\("(.*)"\)$/.exec(text)?.[1] ?? [];
      // the list of edits in the view `summary`
      return text.startsWith("Done so far:")
        ? [...text.matchAll(/^edit\("(.*?)"\)/gm)].map(([, each]) => each)
        : [];
    });
    const remembered = new Set(window === 0 ? [] : edits.slice(-window));
    const candidates = list.split(", ").filter((file) => !remembered.has(file));
    // if all are remembered, all are done
    const file = candidates.length === 0 ? list.split(", ")[0] : candidates[rng.below(candidates.length)];
    return `edit("${file}")`;
  },
};
