import { expect, test } from "vitest";
import { prepareTask, type TaskName, taskNamed } from "./index.ts";

/** Parameters that a task refuses, and what its one sentence says. */
const refused: readonly (readonly [task: TaskName, params: object, message: string])[] = [
  ["branches", { numbers: 8 }, "branches: expected starts of at most 9, numbers and 0, got 10"],
  ["branches", { numbers: 3 }, "branches: expected numbers"],
  ["branches", { conditions: 7 }, "branches: expected conditions"],
  ["branches", { conditions: [3, 1] }, "branches: expected a range of lengths [least, most], got [3,1]"],
  [
    "debugger",
    { lines: [3, 40] },
    "debugger: expected at most 16 lines, the number of labels, got 46. Raise labels too",
  ],
  ["debugger", { numbers: 6 }, "debugger: expected starts of at most 6, the number of numbers, got 8"],
  ["debugger", { variables: 3, numbers: 20 }, "debugger: expected sizes with at most 300000 answers"],
  ["debugger", { lines: 1, calls: true, commands: ["leap"] }, "debugger: expected commands"],
  [
    "group-words",
    { group: "S_9" },
    'group-words: expected S_2 to S_6, A_3 to A_6, Z_n or a product such as Z_2 x Z_3, got "S_9"',
  ],
  [
    "group-words",
    { group: "A_5", generators: "swaps" },
    'expected a group S_n for generators: swaps, got "A_5"',
  ],
  [
    "group-words",
    { generators: ["213", "21"] },
    'group-words: expected each of generators to be one of 123 132 213 231 312 321 ..., got "21"',
  ],
  ["group-words", { generators: [] }, "group-words: expected generators"],
  ["group-words", { generators: "some" }, "group-words: expected generators"],
  ["group-words", { length: 0 }, "group-words: expected length to be at least 1, got 0"],
  ["group-words", { length: [5, 3] }, "group-words: expected a range of lengths [least, most], got [5,3]"],
  ["group-words", { length: [5] }, "group-words: expected length"],
  [
    "opaque",
    { of: "asserts" },
    'opaque: expected of to be "group-words" or "parity" or "tomita" or "dyck" or "repl", got "asserts"',
  ],
  [
    "opaque",
    { group: "S_5", names: 100 },
    "opaque: expected at least 120 names, as many as group-words has to be renamed, got 100",
  ],
  [
    "opaque",
    { of: "repl", variables: 8, names: 7 },
    "opaque: expected at least 8 names, as many as repl has to be renamed, got 7",
  ],
  ["opaque", { names: 1 }, "opaque: expected names to be at least 2, got 1"],
  ["pfsa", { spacing: 40 }, "pfsa: expected every spacing to be at most the number of commands (12), got 40"],
  [
    "pfsa",
    { variables: 2, commandKinds: ["either"] },
    "pfsa: expected at least 3 variables for commandKinds: either, got 2",
  ],
  ["pfsa", { probability: 1 }, "pfsa: expected probability to be at most 0.999, got 1"],
  ["pfsa", { probability: 0.1234 }, "pfsa: expected probability"],
  ["pfsa", { commandKinds: [] }, "pfsa: expected commandKinds"],
  ["pfsa", { variables: 7 }, "pfsa: expected variables to be at most 6, got 7"],
  ["repl", { spacing: 13 }, "repl: expected every spacing to be at most the number of commands (12), got 13"],
  ["repl", { spacing: [4, 13] }, "got 13. With a wider spacing no reveal would follow a command"],
  ["repl", { spacing: 0 }, "repl: expected spacing to be at least 1, got 0"],
  ["repl", { spacing: [4, "x"] }, 'repl: expected spacing.1 to be a number, got "x"'],
  ["repl", { variables: 9 }, "repl: expected variables to be at most 8, got 9"],
  ["repl", { variables: "3" }, 'repl: expected variables to be a number, got "3"'],
  ["repl", { commandKind: "swaps" }, 'repl: expected commandKind to be "swap" or "permutation", got "swaps"'],
  ["repl", { comands: 3 }, 'got "comands". Did you mean commands?'],
  [
    "stutter",
    { of: "pfsa" },
    'stutter: expected of to be "group-words" or "parity" or "tomita" or "dyck" or "repl", got "pfsa"',
  ],
  [
    "stutter",
    { of: "parity", group: "S_3" },
    'stutter: expected one of length, targets, of, pauses, got "group"',
  ],
  [
    "stutter",
    { gruop: "S_3" },
    'stutter: expected one of group, generators, length, targets, vocabulary, start, of, pauses, got "gruop". Did you mean group?',
  ],
  ["stutter", { of: "tomita", language: 8 }, "stutter: expected language to be"],
  ["stutter", { group: "S_9" }, "group-words: expected S_2 to S_6"],
  ["stutter", { pauses: -1 }, "stutter: expected pauses to be at least 0, got -1"],
  ["stutter", { pauses: [] }, "stutter: expected pauses"],
  [
    "time-travel",
    { commands: 128 },
    "time-travel: expected commands below 128, the number of numbers, got 128. Raise numbers too",
  ],
  [
    "time-travel",
    { commands: [3, 9], distance: 4 },
    "expected a distance of at most 3, as many as commands, got 4",
  ],
  [
    "time-travel",
    { distance: [3, 2] },
    "time-travel: expected a range of distances [least, most], got [3,2]",
  ],
  ["time-travel", { distance: -1 }, "time-travel: expected distance"],
  ["time-travel", { questions: [3, 2] }, "time-travel: expected a range of lengths [least, most], got [3,2]"],
  ["time-travel", { questions: 0 }, "time-travel: expected questions"],
  ["arithmetic-program", { length: [2, 7] }, "expected length to be at most 6, got [2,7]"],
  ["arithmetic-program", { digits: 1, below: 11 }, "expected below to be at most 10^digits, 10, got 11"],
  ["dyck", { kinds: 9 }, "dyck: expected kinds to be at most 8, got 9"],
  ["dyck", { depth: 0 }, "dyck: expected depth to be at least 1, got 0"],
  [
    "mqar",
    { pairs: 2, length: 12, gap: [0, 5] },
    "at least 13, four words for each pair and the gap of 5, got 12",
  ],
  ["mqar", { gap: [5, 4] }, "mqar: expected a range of lengths [least, most]"],
  ["mqar", { gap: -1 }, "mqar: expected gap"],
  ["mqar", { pairs: [1, 8], length: [31, 64] }, "length of at least 32, four words for each pair, got 31"],
  ["mqar", { pairs: 8, values: 7 }, "mqar: expected at most 7 pairs, as many as keys or values, got 8"],
  ["recall", { length: 200 }, "expected a length of at most 128, the number of addresses, got 200"],
  ["selective-copy", { items: [1, 9], length: [8, 12] }, "length of at least 9, as many as items, got 8"],
  ["state-recall", { length: [4, 9] }, "expected a length of at least 5, one bit per variable, got 4"],
];

test.each(refused)("%s %j is refused in one sentence", (name, params, message) => {
  expect(() => prepareTask(taskNamed(name), params)).toThrow(message);
});
