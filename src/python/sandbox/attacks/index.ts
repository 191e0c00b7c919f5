/**
 * @file Attacks on a sandbox: programs that try to escape, to exceed its limits, or to forge their outcome, with the
 * allowed outcomes. The containment tests run them, and so does `statelab doctor` on the user's own machine.
 *
 *     ### file outside, read
 *     # right: raised FileNotFoundError, raised PermissionError
 *     open("$(file)").read()
 *
 * `right` are the allowed kinds of outcome, or "raised X", "assertion", "proven", "not proven" for completed programs;
 * `right native` those of one host. With `trace`, a call, the program is traced and proven, not only run. `limits` are
 * those of the request, `note` is for the reader. `$(file)` is a target, or a part of the same file: `### (file)`.
 *
 * Programs that are run pass if the attack succeeds. "passed" is never an allowed outcome.
 */

import { readFileSync } from "node:fs";
import type { HostName, Limits } from "../host.ts";

/** Targets outside of the sandbox. */
export interface Target {
  /** A file with a secret, which every user can read. */
  readonly file: string;
  /** An empty folder in which every user can write. */
  readonly folder: string;
  /** Port of a server on 127.0.0.1 that counts connections. */
  readonly port: number;
  /** An environment variable of the host's process. */
  readonly variable: string;
}

export interface Attack {
  readonly name: string;
  readonly code: (target: Target) => string;
  readonly trace?: string;
  readonly limits?: Partial<Limits>;
  readonly right: readonly string[] | Readonly<Record<HostName, readonly string[]>>;
}

/** A cell of a session: it attacks the host, later cells, and the process that answers its tools. */
export interface HostileCell {
  readonly name: string;
  readonly code: (target: Target) => string;
  /** Something keeps running; the test gives it time to send. */
  readonly later: boolean;
}

interface Section {
  readonly name: string;
  readonly settings: ReadonlyMap<string, string>;
  /** The program, or that around it, for a target. */
  code(target: Target, around?: (code: string) => string): string;
}

const setting = /^# (right|right native|right embedded|trace|limits|later|look|note): (.*)$/;

function sectionsOf(file: string): Section[] {
  const text = readFileSync(new URL(`${file}.txt`, import.meta.url), "utf8");
  const parts = new Map<string, string>();
  const sections: Section[] = [];
  for (const part of text.split(/^### /m).slice(1)) {
    const [name, ...lines] = part.trimEnd().split("\n");
    const end = lines.findIndex((line) => !setting.test(line));
    const settings = new Map(
      lines.slice(0, end).map((line) => setting.exec(line)!.slice(1) as [string, string]), // by `end`
    );
    const own = lines.slice(end).join("\n");
    const [, partName] = /^\((\w+)\)$/.exec(name) ?? [];
    if (partName !== undefined) parts.set(partName, own);
    else
      sections.push({
        ...{ name, settings },
        code: (target, around = (code) => code) =>
          around(own).replaceAll(
            /\$\((\w+)\)/g,
            (_, key: string) => parts.get(key) ?? targetText(target, key),
          ),
      });
  }
  return sections;
}

/** As it stands in a string of Python. */
function targetText(target: Target, key: string): string {
  if (!Object.hasOwn(target, key)) throw new Error(`an attack has no target and no part $(${key})`);
  return JSON.stringify(String(target[key as keyof Target])).slice(1, -1);
}

const listed = (settings: Section["settings"], key: string) => settings.get(key)?.split(", ") ?? [];

function attacksOf(file: string): Attack[] {
  return sectionsOf(file).map(({ name, settings, code }) => {
    const trace = settings.get("trace");
    const limits = listed(settings, "limits").map((each) => each.split("="));
    const right = settings.has("right")
      ? listed(settings, "right")
      : { native: listed(settings, "right native"), embedded: listed(settings, "right embedded") };
    return {
      ...{ name, code, right },
      ...(trace !== undefined && { trace }),
      ...(limits.length > 0 && {
        limits: Object.fromEntries(limits.map(([key, value]) => [key, Number(value)])),
      }),
    };
  });
}

/** Each change followed by its check: both end at an assert if the change did not outlive its program. */
export const leaving: readonly Attack[] = sectionsOf("persistence").flatMap(({ name, settings, code }) => [
  {
    name: `left behind: ${name}`,
    code: (target) => code(target, (change) => `$(prelude)\n${change}\nassert None`),
    right: settings.has("right") ? listed(settings, "right") : ["assertion"],
  },
  {
    name: `left behind, looked for: ${name}`,
    code: (target) =>
      code(target, () => `$(prelude)\n$(opens)\nfound = ${settings.get("look")}\nassert found is True`),
    right: ["assertion"],
  },
]);

export const reaching: readonly Attack[] = attacksOf("escape");

export const attacks: readonly Attack[] = [
  ...attacksOf("resource-exhaustion"),
  ...reaching,
  ...leaving,
  ...["false-exit", "forged-result", "traced"].flatMap(attacksOf),
];
export const hostileCells: readonly HostileCell[] = sectionsOf("cells").map(({ name, settings, code }) => ({
  ...{ name, code, later: settings.has("later") },
}));
