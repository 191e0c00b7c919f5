/**
 * @file The parts of docs/reference/models.md and docs/reference/tasks.md that follow from the registries, the schemas and the comments of the sources. They
 * stand between two marks:
 *
 *     <!-- NAME: generated -->   ...   <!-- NAME: end -->
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { small } from "../../src/models/conformance.test-helper.ts";
import { mixers, mixerTraits } from "../../src/models/index.ts";
import type { Fields } from "../../src/models/naive.ts";
import { configsToTest, subjects } from "../../src/models/subjects.test-helper.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed, tasks } from "../../src/tasks/index.ts";
import { page, project } from "./docs.test-helper.ts";

/** A page with new text between the marks of a part. */
export function withPart(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name}: generated -->\n`, `<!-- ${name}: end -->`];
  const [at, until] = [text.indexOf(start), text.indexOf(end)];
  if (at < 0 || until < at) throw new Error(`no part ${name} on the page`);
  return `${text.slice(0, at + start.length)}\n${part}\n${text.slice(until)}`;
}

/** The page with all of its parts made again. */
export const modelsPage = () => {
  const parts = { models: modelRows, tracked: trackedRows, taps: tapRows, equations };
  return Object.entries(parts).reduce(
    (text, [name, make]) => withPart(text, name, make()),
    page("docs/reference/models.md"),
  );
};

export function tasksPage(): string {
  const text = page("docs/reference/tasks.md");
  const written = withPart(text, "sections", "");
  const without = Object.keys(tasks).filter((name) => !written.includes(`\n## ${name}\n`));
  return withPart(
    withPart(text, "tasks", taskRows()),
    "sections",
    without.map((name) => section("##", "tasks", name, taskNamed(name).params) + exampleOf(name)).join("\n"),
  );
}

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|");
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |\n`).join("");

interface Field {
  readonly name: string;
  /** The values that it may have, if they are few. */
  readonly choices: readonly unknown[];
  /** Undefined if it may be left out without one. */
  readonly usual: unknown;
}

/** The fields of a schema; of a union those that all of its members have. */
function fieldsOf(schema: z.ZodType): Field[] {
  const { options = [schema] } = schema as z.ZodUnion<z.ZodType[]>;
  const [first, ...rest] = options.map((each) => (each as z.ZodObject).shape as Record<string, z.ZodType>);
  return Object.entries(first)
    .filter(([name]) => rest.every((shape) => name in shape))
    .map(([name, field]) => ({
      name,
      choices: [...new Set([first, ...rest].flatMap((shape) => choicesOf(shape[name])))],
      usual: field.safeParse(undefined).data,
    }));
}

/** The values of an enumeration, a boolean or a union of literals, inside of wrappers. */
function choicesOf(schema: z.ZodType): readonly unknown[] {
  const { def } = schema as unknown as {
    readonly def: {
      readonly type: string;
      readonly innerType?: z.ZodType;
      readonly out?: z.ZodType;
      readonly entries?: Readonly<Record<string, unknown>>;
      readonly values?: readonly unknown[];
      readonly options?: readonly z.ZodType[];
    };
  };
  if (def.type === "boolean") return [true, false];
  if (def.type === "enum") return Object.values(def.entries ?? {});
  if (def.type === "literal") return def.values ?? [];
  const inner = def.innerType ?? (def.type === "pipe" ? def.out : undefined);
  if (inner !== undefined) return choicesOf(inner);
  const all = (def.options ?? []).map(choicesOf);
  return all.some((each) => each.length === 0) ? [] : all.flat();
}

function inText(value: unknown): string {
  if (value === undefined) return "none";
  if (Array.isArray(value)) return `[${value.map(inText).join(", ")}]`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Its default, or its choices with the default in bold. */
function valuesOf({ choices, usual }: Field): string {
  if (choices.length === 0 || typeof usual === "boolean") return inText(usual);
  return choices.map((each) => (each === usual ? `**${inText(each)}**` : inText(each))).join(", ");
}

const fieldList = (schema: z.ZodType) =>
  fieldsOf(schema)
    .map((field) => `${code(field.name)} ${valuesOf(field)}`)
    .join("; ") || "none";

/** The sources of a model or task: its file, and those of its folder. */
function sourcesOf(room: string, name: string): string {
  const folder = `src/${room}/${name}`;
  const parts = existsSync(join(project, folder)) ? readdirSync(join(project, folder)) : [];
  const files = parts.filter((file) => /^[\w-]+\.ts$/.test(file)).map((file) => `${folder}/${file}`);
  return [`${folder}.ts`, ...files].map(page).join("\n");
}

/** A comment without its stars. */
const plain = (comment: string) => comment.replaceAll(/^ *\*? ?/gm, "").trim();

/** What a file says of itself, then its fields with what the source says of them. */
function section(level: string, room: string, name: string, schema: z.ZodType): string {
  const text = sourcesOf(room, name);
  const [, header = ""] = /^\/\*\*\n? \*? ?@file ((?:(?!\*\/)[\s\S])*)\*\//.exec(text) ?? [];
  const words = (field: string) => {
    const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*${field}:`).exec(text)?.[1] ?? "";
    return plain(comment).replaceAll("\n", " ").replace(/\.$/, "");
  };
  const rows = fieldsOf(schema).map((field) => {
    const others = field.choices
      .filter((each) => each !== field.usual && typeof each !== "boolean")
      .map(inText);
    const more = [others.length > 0 ? `or ${others.join(", ")}` : "", words(field.name)];
    return [code(field.name), inText(field.usual), more.filter((each) => each !== "").join("; ")];
  });
  const fields = rows.length === 0 ? "" : `\n${table(["field", "default", ""], rows)}`;
  return `${level} ${name}\n\n${header.replaceAll(/^ \* ?/gm, "").trim()}\n${fields}`;
}

const names = Object.keys(mixers) as (keyof typeof mixers)[];

const modelRows = () =>
  table(
    ["name", "what it is", "own fields", "source"],
    names.map((name) => {
      const { summary, config, source } = mixers[name];
      return [`[${code(name)}](#${name})`, summary, fieldList(config), source];
    }),
  );

type Recurrence = ReturnType<typeof mixerTraits>["recurrence"];

const eigenvalues = (recurrence: Recurrence) => {
  if (recurrence === undefined) return "unknown";
  if (recurrence === "none" || recurrence === "nonlinear") return recurrence;
  return recurrence.complex ? "complex" : `[${recurrence.least}, 1]`;
};

/** What one layer can hold, as it follows from the eigenvalues. */
function tracked(recurrence: Recurrence, every = 1): string {
  if (recurrence === undefined) return "";
  if (recurrence === "none") return "nothing that depends on every step, at lengths that it has not seen";
  if (recurrence === "nonlinear")
    return every > 1
      ? `its state changes once in ${every} tokens, whose order is lost: no order of words`
      : "any finite automaton, if it is learned";
  const { least, complex, commuting, fixed } = recurrence;
  if (fixed)
    return "it weighs tokens by their age alone: it copies from a fixed distance, and tracks no parity";
  if (!complex && least > -1)
    return least < 0 ? "no sign is kept for long: no parity" : "it can only fade: no parity";
  if (!commuting) return complex ? "several swaps a token, or rotations" : "one swap a token";
  return `parity${complex ? ", and counting modulo any number" : ""}; transitions commute, so no order of things`;
}

/** Models by what they declare, with the fields that change it. */
function trackedRows(): string {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const mixer: (typeof mixers)[keyof typeof mixers] = mixers[name];
    const shown = (own: object) => {
      const { recurrence, every } = mixerTraits({ mixer, own: mixer.config.parse(own) });
      const matrices =
        typeof recurrence !== "object" ? "" : recurrence.commuting ? "commuting" : "not commuting";
      return [eigenvalues(recurrence), matrices, tracked(recurrence, every)].join("\n");
    };
    const usual = shown({});
    const others = fieldsOf(mixer.config).flatMap(({ name: field, choices, usual: value }) =>
      choices
        .filter((each) => value !== undefined && each !== value && shown({ [field]: each }) !== usual)
        .map(
          (each) => [`${code(name)} with ${code(field)} ${inText(each)}`, shown({ [field]: each })] as const,
        ),
    );
    for (const [label, row] of [[code(name), usual], ...others])
      groups.set(row, [...(groups.get(row) ?? []), label]);
  }
  const rows = [...groups].map(([row, labels]) => [labels.join(", "), ...row.split("\n")]);
  return table(["", "eigenvalues of a transition", "transitions", "what one layer can track"], rows);
}

/** Stand for B and T: larger than any width. */
const [BATCH, TIME] = [1e6, 2e6];
const WIDTH = 64;

function tapRows(): string {
  const layers = configsToTest.flatMap(({ name, config }) => small(name, config).mixers);
  const rows = names.map((name) => {
    const tapsOf = (own: unknown) => subjects[name].taps(BATCH, TIME, WIDTH, own as Fields);
    const usual = tapsOf(mixers[name].config.parse({}));
    const others = layers.flatMap(({ mixer, own }) => (mixer.name === name ? Object.keys(tapsOf(own)) : []));
    const more = [...new Set(others)].filter((tap) => !(tap in usual)).map(code);
    const shape = (axes: readonly number[]) =>
      axes.map((axis) => (axis === BATCH ? "B" : axis === TIME ? "T" : axis)).join(", ");
    const shown = Object.entries(usual).map(([tap, axes]) => `${code(tap)} [${shape(axes)}]`);
    if (more.length > 0) shown.push(`with other fields ${more.join(", ")}`);
    return [code(name), shown.join("; ") || "none"];
  });
  return table(["name", "taps"], rows);
}

const equations = () => names.map((name) => section("###", "models", name, mixers[name].config)).join("\n");

const taskRows = () =>
  table(
    ["task", "what it is", "parameters", "source"],
    Object.entries(tasks).map(([name, { summary, params, source }]) => [
      `[${code(name)}](#${name})`,
      summary,
      fieldList(params as z.ZodType),
      source,
    ]),
  );

function exampleOf(name: string): string {
  const { text } = exampleFrom(prepareTask(taskNamed(name), {}), exampleStream(0, "train")(0));
  const block = (inside: string) => `\`\`\`\n${inside}\n\`\`\`\n`;
  return `\n${block(`$ statelab generate ${name} --count 1 --seed 0`)}\n${block(text.trimEnd())}`;
}
