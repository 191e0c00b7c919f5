/** @file statelab dap: the debugger as a debug adapter, for editors. */

import { addAbortSignal } from "node:stream";
import { serveDap } from "../app/dap/serve.ts";
import { defineCommand } from "./lib/command.ts";
import { LARGEST_HISTORY, readProgram } from "./lib/program.ts";

export const command = defineCommand({
  name: "dap",
  summary: "debug Python in an editor, forwards and backwards",
  usage: "dap",
  options: {},
  examples: ["dap"],
  notes:
    "An editor starts this command and speaks the Debug Adapter Protocol with it on stdin and stdout. The launch configuration names a program or a recording. The program runs once, in a sandbox, and is recorded.\n" +
    "The debug console accepts every command of statelab debug.\n" +
    "More: docs/how-to/debug-in-an-editor.md",

  async run({ signal }) {
    await serveDap({
      input: addAbortSignal(signal, process.stdin),
      write: (text) => process.stdout.write(text),
      read: (file) => readProgram(file, LARGEST_HISTORY),
      signal,
    });
    return 0;
  },
});
