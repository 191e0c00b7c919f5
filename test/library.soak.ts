import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { commands as table } from "../src/cli/commands.ts";
import { allCommands } from "../src/cli/lib/dispatch.ts";
import { inCode, page, pages, project, subpaths, tableOf } from "./docs/docs.test-helper.ts";
import { tmpFolder } from "./kit/tmp.ts";
import { node, typeCheck } from "./package.test-helper.ts";

const root = tmpFolder("library");

/** A user's project, which finds the built package by its exports. */
beforeAll(() => {
  mkdirSync(join(root, "node_modules/@types"), { recursive: true });
  symlinkSync(project, join(root, "node_modules/statelab"), "junction");
  symlinkSync(join(project, "node_modules/@types/node"), join(root, "node_modules/@types/node"), "junction");
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module" }));
});

/** The TypeScript examples of a page that are followed by what they print. */
function examplesOf(path: string): { code: string; prints: string }[] {
  return [...page(path).matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code, prints]) => ({
    code,
    prints,
  }));
}

/** The TypeScript of all pages that imports the package and no other file, and prints nothing; omissions in some are comments. */
function unprinted(): { code: string; name: string }[] {
  return pages().flatMap((path) =>
    [...page(path).matchAll(/^```ts\n(.*?)^```\n(\n```text)?/gms)]
      .map(([, code, prints], i) => ({ code, prints, name: `${path.replaceAll(/\W/g, "-")}-${i}` }))
      .filter(
        ({ code, prints }) =>
          !prints && code.includes('from "statelab') && !code.includes("/*") && !code.includes('from "./'),
      ),
  );
}

/** Numbers with a point, which may differ between processors, apart from the text around them. */
function told(text: string): { words: string[]; numbers: number[] } {
  const measured = /\d+\.\d+/g;
  return { words: text.split(measured), numbers: (text.match(measured) ?? []).map(Number) };
}

test("every example of the pages type-checks as a strict user's file, and prints what the page says", async () => {
  const examples = pages().flatMap((path) =>
    examplesOf(path).map((example, i) => ({
      ...example,
      name: `printed-${path.replaceAll(/\W/g, "-")}-${i}`,
    })),
  );
  expect(examples.length).toBeGreaterThanOrEqual(4);
  const blocks = page("docs/how-to/library.md").match(/```ts\n/g)?.length;
  expect(examplesOf("docs/how-to/library.md")).toHaveLength(blocks!);
  for (const { name, code } of [...examples, ...unprinted()]) writeFileSync(join(root, `${name}.ts`), code);
  expect(typeCheck(root).trim()).toBe("");
  const run = promisify(execFile);
  const ran = examples.map(async ({ name, prints }) => {
    const { stdout, stderr } = await run(process.execPath, [join("js", `${name}.js`)], { cwd: root });
    expect(stderr, name).toBe("");
    const [got, wanted] = [told(stdout), told(prints)];
    expect(got.words, name).toEqual(wanted.words);
    for (const [i, number] of got.numbers.entries())
      expect(Math.abs(number - wanted.numbers[i]), `${name}: ${number}`).toBeLessThan(0.1);
  });
  await Promise.all(ran);
}, 180_000);

test("the page lists every subpath there is", () => {
  const { exports } = JSON.parse(page("package.json"));
  const names = Object.keys(exports).filter((name) => name !== "./package.json");
  expect(subpaths.map(([name]) => name.replace("statelab", ".")).toSorted()).toEqual(names.toSorted());
});

test("no name is of one thing here and of another there, types too", () => {
  const sources = new Map<string, string>();
  const list = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm;
  const lists = subpaths.slice(1).flatMap(([, { file }]) => [...page(file).matchAll(list)]);
  for (const [, names, source] of lists) {
    for (const [, name] of names.matchAll(/(\w+)\s*(?:,|$)/g)) {
      expect(`${name} of ${sources.get(name) ?? source}`).toBe(`${name} of ${source}`);
      sources.set(name, source);
    }
  }
  expect(sources.size).toBeGreaterThan(200);
});

test("every command has a function, which stands where the page says", () => {
  const program = `
    const found = {};
    for (const name of ${JSON.stringify(subpaths.map(([name]) => name))}) found[name] = await import(name);
    const kinds = Object.entries(found).map(([subpath, names]) =>
      [subpath, Object.fromEntries(Object.entries(names).map(([name, value]) => [name, typeof value]))]);
    console.log(JSON.stringify(Object.fromEntries(kinds)));`;
  const { stdout, stderr } = node(root, "--input-type=module", "-e", program);
  expect(stderr).toBe("");
  const kinds: Record<string, Record<string, string>> = JSON.parse(stdout);

  const commands = Object.keys(allCommands(table));
  const rows = tableOf(page("docs/how-to/library.md"), "command");
  expect(rows.map(([command]) => inCode(command)[0])).toEqual(commands);
  for (const [command, functions, from] of rows) {
    if (command === "`list`") continue; // as the page says, it is none
    expect(inCode(functions), command).not.toEqual([]);
    for (const name of inCode(functions))
      expect(
        inCode(from).map((subpath) => kinds[subpath]?.[name]),
        name,
      ).toContain("function");
  }
});

test.each(subpaths.filter(([, { free }]) => free))("%s is bundled for a page", async (name) => {
  const stdin = { contents: `export * from "${name}";`, resolveDir: root };
  const { outputFiles } = await build({
    ...{ stdin, bundle: true, platform: "browser", format: "esm", write: false },
  });
  expect(outputFiles[0].text).toMatch(/export \{/);
});
