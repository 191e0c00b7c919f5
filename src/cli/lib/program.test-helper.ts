/** @file A program of commands that wait, flood, fail and break: what the tests of run.ts need besides the real ones. */

import { fail } from "../../core/error.ts";
import { type Command, defineCommand } from "./command.ts";
import { runProgram } from "./dispatch.ts";

const bare = { summary: "for tests", usage: "x", options: {}, examples: [] };
const table = (...commands: Command[]) => ({
  Commands: Object.fromEntries(
    commands.map((command) => [command.name, { summary: "", load: async () => ({ command }) }]),
  ),
});

const wait = defineCommand({
  ...bare,
  name: "wait",
  async run({ signal, print, say }) {
    const busy = setInterval(() => {}, 1000);
    print("waiting");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    say("saved; go on with: statelab train --resume runs/x");
    clearInterval(busy);
  },
});

const deaf = defineCommand({
  ...bare,
  name: "deaf",
  async run({ signal, print }) {
    signal.addEventListener("abort", () => print("not yet"));
    print("waiting");
    await new Promise(() => setInterval(() => {}, 1000));
  },
});

const flood = defineCommand({
  ...bare,
  name: "flood",
  async run({ print }) {
    for (let line = 0; ; line++) {
      print(`line ${line}`);
      await new Promise(setImmediate);
    }
  },
});

const broken = defineCommand({
  ...bare,
  name: "broken",
  async run() {
    throw new TypeError("undefined is not a tensor");
  },
});

const damaged = defineCommand({
  ...bare,
  name: "damaged",
  async run() {
    fail("runs/x/state.json", "JSON", "{", undefined, "corrupt");
  },
});

const stuck = defineCommand({ ...bare, name: "stuck", run: () => new Promise(() => {}) });

await runProgram(table(wait, deaf, flood, broken, damaged, stuck), process.argv.slice(2));
