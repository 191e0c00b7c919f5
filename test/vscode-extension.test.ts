import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { LaunchArguments } from "../src/app/dap/launch.ts";

const folder = fileURLToPath(new URL("../editors/vscode", import.meta.url));
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const { lensesIn } = createRequire(import.meta.url)(join(folder, "code-lenses.js"));
const code = readFileSync(join(folder, "extension.js"), "utf8");

test("the manifest has the launch attributes of the adapter", () => {
  const [debuggerEntry] = manifest.contributes.debuggers;
  const { noDebug, ...properties } = z.toJSONSchema(LaunchArguments, { io: "input" }).properties ?? {};
  expect(noDebug).toBeDefined(); // VS Code sets it
  expect(debuggerEntry.configurationAttributes.launch.properties).toEqual(properties);
  const bodies = [
    ...debuggerEntry.initialConfigurations,
    ...debuggerEntry.configurationSnippets.map(({ body }: { readonly body: object }) => body),
  ];
  expect(bodies).toHaveLength(4);
  for (const { name, type, request, ...attributes } of bodies) {
    expect([typeof name, type, request]).toEqual(["string", debuggerEntry.type, "launch"]);
    expect(LaunchArguments.strict().safeParse(attributes).success).toBe(true);
  }
});

test("the manifest names files, commands and views that the extension has", () => {
  for (const file of [manifest.main, manifest.icon, "README.md"])
    expect(existsSync(join(folder, file))).toBe(true);
  for (const { command } of manifest.contributes.commands) expect(code).toContain(`"${command}"`);
  for (const { id } of manifest.contributes.views.debug) expect(code).toContain(`"${id}"`);
  expect(Object.keys(manifest.contributes.configuration.properties)).toEqual(["statelab.command"]);
});

test("lenses stand above calls of the module, its main block and tests without parameters", () => {
  const text = [
    "import os",
    "def total(xs):",
    "    return total(xs[1:])",
    "class A: pass",
    "async def later(): pass",
    'doc = """',
    "total([1])",
    '"""',
    "# total([1])",
    "x = total([1, 2])",
    "print(len([1]), 'total(2)')",
    "os.total(1)",
    "later()",
    "def test_total():",
    "    assert total([]) == 0",
    "def test_with(fixture): pass",
    'if __name__ == "__main__":',
    "    print(total([1]))",
    "assert total([]) == 0",
  ].join("\r\n");
  expect(lensesIn(text)).toEqual([
    { line: 9, title: "Debug this call" },
    { line: 12, title: "Debug this call" },
    { line: 13, title: "Debug this test", call: "test_total()" },
    { line: 16, title: "Debug this call" },
    { line: 18, title: "Debug this call" },
  ]);
});
