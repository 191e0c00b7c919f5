/**
 * @file Refactor kernel: a function is to be renamed in each of k files, an edit says nothing of whether it was needed, and what
 * was edited already has to be remembered.
 *
 *     edit("file_3.py")        "written", also the second time
 *
 * A policy that remembers its last W edits and picks any other file needs sum over j < k of (k - min(W, j)) / (k - j) edits:
 * 8, 12.33, 16.70, 21.74 for k = 8 and W = 7, 4, 2, 0. What a summary of the edits is worth is that curve.
 *
 * Source: the state command of RefactorBench (microsoft/RefactorBench), reduced to what is remembered.
 */

import { z } from "zod";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import { definePolicy } from "../policies/policy.ts";

export interface Files {
  readonly files: readonly string[];
  readonly edits: readonly string[];
}

const Params = z.strictObject({ files: z.int().min(1).max(1000).default(8).describe("Number of files") });
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [{ name: "edit", parameters: ["file"], words: "renames the function in it" }];

export const refactor: World<Params, Files> = {
  name: "refactor",
  summary: "the same edit in several files; only memory shows which are done",
  source: "microsoft/RefactorBench",
  params: Params,
  tools,
  draw: ({ files }) => ({ files: Array.from({ length: files }, (_, i) => `file_${i}.py`), edits: [] }),

  task: ({ files }) =>
    `Rename the function in each of these files: ${files.join(", ")}\nEdit one file a turn.\n${toolWords(tools)}`,

  act(state, call) {
    const wrong = wrongCall(tools, call);
    if (wrong !== undefined) return { state, answer: wrong };
    const file = state.files.find((each) => each === call.arguments[0]);
    if (file === undefined) return { state, answer: refused("KeyError", "there is no such file") };
    return { state: { ...state, edits: [...state.edits, file] }, answer: { value: "written" } };
  },

  claims: ({ files, edits }, { arguments: [file] }) =>
    files
      .filter((each) => each === file)
      .map((each) => ({
        name: `${each} is done`,
        claimed: "False",
        truth: edits.includes(each) ? "True" : "False",
      })),

  isOver: ({ files, edits }) => new Set(edits).size === files.length,

  score({ files, edits }) {
    const done = new Set(edits).size;
    return { share: done / files.length, done, files: files.length, edits: edits.length };
  },
};

/** Forgetful: edits any file that it does not remember, and remembers its last W edits, if they are shown to it. */
export const forgetful = definePolicy({
  name: "forgetful",
  summary: "edits a file that is not among its last edits (forgetful.window)",
  params: z.strictObject({ window: z.int().min(0).default(4).describe("Number of edits that it remembers") }),
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
});
