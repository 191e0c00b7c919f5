/**
 * @file Runs every `$ COMMAND` of the pages in `followed` in order, each page in an empty folder, and compares the shown output.
 *
 * A block after a line that ends in "as `FILE`:" is that file. A line `...` stands for any lines. Times, memory and dates are masked.
 */

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { followed } from "./commands.test-helper.ts";
import { page, project } from "./docs.test-helper.ts";

const root = tmpFolder("tutorials");

/** Programs of the checkout by the names that the pages use. */
const bin = join(root, "bin");
mkdirSync(bin);
const programs = {
  statelab: `"${process.execPath}" "${main}"`,
  tsx: `"${join(project, "node_modules/.bin/tsx")}"`,
};
for (const [name, program] of Object.entries({ ...programs, npx: '"$@"' })) {
  const arguments_ = name === "npx" ? "" : ' "$@"';
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${program}${arguments_}\n`);
  chmodSync(join(bin, name), 0o755);
}

type Step =
  | { readonly file: string; readonly text: string }
  | { readonly command: string; readonly shown: string };

function stepsOf(path: string): Step[] {
  return [...page(path).matchAll(/(?<before>[^\n]*)\n\n```\w*\n(?<block>[\s\S]*?)```/g)].flatMap(
    ({ groups }): Step[] => {
      const { before, block } = groups as { before: string; block: string };
      const file = /as `([^`]+)`[^`]*:$/.exec(before)?.[1];
      if (file !== undefined) return [{ file, text: block }];
      return block
        .split(/^\$ /m)
        .slice(1)
        .map((each) => {
          const [, command, shown] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(each) ?? [];
          return { command, shown };
        });
    },
  );
}

/** What another machine may print otherwise. */
const masked = (text: string) =>
  text
    .replaceAll(/[\u00a0\u202f]/g, " ")
    .replaceAll(/^\S+ +step [\d,]+\/[^\n]*\n/gm, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+Z/g, "DATE")
    .replaceAll(/[\d.]+ (?:h|min|s|ms|MiB|GiB)\b(?: [\d.]+ (?:min|s)\b)*/g, "N")
    .trimEnd();

function matches(shown: string, printed: string): boolean {
  const parts = masked(shown).split(/^\.\.\.$/m);
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[\\s\\S]*");
  return new RegExp(`^${pattern}$`).test(masked(printed));
}

const env = { ...process.env, NO_COLOR: "1", PATH: `${bin}${delimiter}${process.env.PATH}` };
const bash = (line: string, cwd: string) =>
  promisify(execFile)("bash", ["-c", line], { cwd, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );

/** Those that train for minutes are left to whole runs. */
const trains = /train-a-model|your-own-architecture/;
const asked = followed.filter((path) => process.env.SOAK_SLICE !== "ci" || !trains.test(path));

test.each(asked)(
  "%s: its commands print what it shows",
  async (path) => {
    const folder = join(root, path.replaceAll(/\W/g, "-"));
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(project, join(folder, "node_modules/statelab"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    const steps = stepsOf(path);
    expect(steps.filter((step) => "command" in step).length).toBeGreaterThan(1);
    for (const step of steps) {
      if ("file" in step) {
        mkdirSync(dirname(join(folder, step.file)), { recursive: true });
        writeFileSync(join(folder, step.file), step.text);
        continue;
      }
      const { code, stdout } = await bash(`{ ${step.command}\n} 2>&1`, folder);
      expect(code, stdout).toBeLessThanOrEqual(1); // 1: a transcript loses the state
      if (step.shown !== "" && !matches(step.shown, stdout)) expect(masked(stdout)).toBe(masked(step.shown));
    }
  },
  1_800_000,
);
