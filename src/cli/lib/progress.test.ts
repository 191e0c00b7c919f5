import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { progressOn, sayAbove } from "./progress.ts";

/** What a terminal shows after these writes: understands newline, carriage return, "up n" and "clear to the end". */
function shown(text: string): string[] {
  const lines = [""];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals speak
  for (const [part, , n, kind] of text.matchAll(/(\u001b\[(\d+)([A-Za-z])|\n|\r|[^\u001b\n\r]+)/g)) {
    if (kind === "A") row -= Number(n);
    else if (kind === "J") lines.splice(row, lines.length, "");
    else if (part === "\n") {
      row++;
      lines[row] ??= "";
    } else if (part !== "\r" && kind !== "m") lines[row] += part;
  }
  return lines;
}

function fake(isTTY: boolean, plainEverySeconds = 0, columns = 120) {
  let written = "";
  let clock = 0;
  const terminal = { isTTY, columns, write: (text: string) => (written += text) };
  const progress = progressOn(terminal, { plainEverySeconds, now: () => clock });
  return {
    progress,
    wait: (seconds: number) => (clock += seconds * 1000),
    screen: () => shown(written),
    raw: () => written,
  };
}

test("two jobs are two lines, redrawn in place, with the time left from the steps done", () => {
  const { progress, wait, screen } = fake(true);
  progress.update("a", { step: 0, steps: 1000 });
  progress.update("longer", { step: 0, steps: 2000 });
  wait(10);
  progress.update("a", {
    step: 100,
    steps: 1000,
    loss: 0.5,
    accuracy: 0.25,
    tokensPerSecond: 41_234.5,
    note: "spacing 4",
  });
  progress.say("a word between");
  wait(1);
  progress.update("longer", { step: 1000, steps: 2000 });
  expect(screen()).toEqual([
    "a word between",
    "a       step 100/1,000  10 %  loss 0.500  accuracy 0.250  41,235 tokens/s  spacing 4  1 min 39 s left",
    "longer  step 1,000/2,000  50 %  11 s left",
    "",
  ]);
  progress.end("a", "solved after 100 steps");
  progress.close();
  expect(screen()).toEqual(["a word between", "a  solved after 100 steps", ""]);
});

test("a narrow terminal cuts lines instead of wrapping them", () => {
  const { progress, screen } = fake(true, 0, 20);
  progress.update("deltanet", { step: 1, steps: 1000, loss: 1 });
  expect(screen()[0]).toHaveLength(19);
});

test("redrawing is at most ten times a second", () => {
  const { progress, wait, raw } = fake(true);
  for (let step = 0; step < 1000; step++) {
    progress.update("a", { step, steps: 1000 });
    wait(0.001);
  }
  expect(stripVTControlCharacters(raw()).match(/step/g)).toHaveLength(10);
});

test("where there is no terminal nothing is written, or a plain line every thirty seconds when asked for", () => {
  const silent = fake(false);
  const plain = fake(false, 30);
  for (const { progress, wait } of [silent, plain]) {
    for (let second = 0; second <= 65; second++) {
      progress.update("a", { step: second, steps: 100 });
      wait(1);
    }
    progress.end("a", "done");
  }
  expect(silent.raw()).toBe("");
  expect(plain.raw()).toBe(
    "a  step 30/100  30 %  1 min 10 s left\na  step 60/100  60 %  40 s left\na  done\n",
  );
});

test("on a narrow terminal the time left outlasts percent, speed and note", () => {
  const status = { step: 50, steps: 100, loss: 1, tokensPerSecond: 9000, note: "spacing 4", secondsLeft: 65 };
  const at = (columns: number) => {
    const { progress, screen } = fake(true, 0, columns);
    progress.update("lstm", status);
    return screen()[0];
  };
  expect(at(100)).toBe("lstm  step 50/100  50 %  loss 1.000  9,000 tokens/s  spacing 4  1 min 5 s left");
  expect(at(74)).toBe("lstm  step 50/100  loss 1.000  9,000 tokens/s  spacing 4  1 min 5 s left");
  expect(at(60)).toBe("lstm  step 50/100  loss 1.000  spacing 4  1 min 5 s left");
  expect(at(50)).toBe("lstm  step 50/100  loss 1.000  1 min 5 s left");
});

test("what is said above the progress of a terminal leaves its lines whole, and reaches a terminal without progress", () => {
  let written = "";
  const terminal = { isTTY: true, columns: 80, write: (text: string) => (written += text) };
  sayAbove(terminal, "before");
  const progress = progressOn(terminal, { now: () => 0 });
  progress.update("lstm", { step: 1, steps: 2 });
  sayAbove(terminal, "stopping");
  expect(shown(written)).toEqual(["before", "stopping", "lstm  step 1/2  50 %", ""]);
  progress.close();
  sayAbove(terminal, "after");
  expect(shown(written)).toEqual(["before", "stopping", "after", ""]);
});
