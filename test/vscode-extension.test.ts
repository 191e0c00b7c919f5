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

test("the extension starts the adapter, records what a lens names, and goes to its line and to moments", async () => {
  const document = { languageId: "python", fileName: "/w/a.py", save: () => Promise.resolve(true) };
  const started: Record<string, unknown>[] = [];
  const registered: Record<string, (...given: unknown[]) => unknown> = {};
  // biome-ignore lint/suspicious/noExplicitAny: the interfaces of VS Code that the extension implements
  const providers: Record<string, any> = {};
  const provide = (name: string) => (_: unknown, provider: unknown) => {
    providers[name] = provider;
    return { dispose() {} };
  };
  class Item {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  }
  class Emitter {
    event = () => {};
    fire() {}
  }
  class Executable {
    readonly given: unknown[];
    constructor(...given: unknown[]) {
      this.given = given;
    }
  }
  const shown: string[] = [];
  const requests: [string, object][] = [];
  const session = {
    ...{ type: "statelab", name: "line 3 of a.py", configuration: { program: "/w/a.py" } },
    customRequest: async (command: string, given: object) => {
      requests.push([command, given]);
      if (command === "gotoTargets") return { targets: [{ id: 9 }, { id: 4 }] };
      const row = { moment: 4, event: "line", line: 3, function: "f", source: "f(1)" };
      return command === "moments" ? { moments: [row], total: 250, current: 4 } : undefined;
    },
  };
  const vscode = {
    window: {
      activeTextEditor: { document },
      createTreeView: (_: string, { treeDataProvider }: { readonly treeDataProvider: unknown }) => {
        providers.moments = treeDataProvider;
        return {};
      },
      showErrorMessage: (text: string) => shown.push(text),
    },
    debug: {
      activeDebugSession: session,
      registerDebugAdapterDescriptorFactory: provide("adapter"),
      registerDebugConfigurationProvider: provide("configuration"),
      registerDebugAdapterTrackerFactory: provide("tracker"),
      onDidTerminateDebugSession: () => ({}),
      startDebugging: async (_: unknown, configuration: Record<string, unknown>) =>
        started.push(configuration),
    },
    languages: { registerCodeLensProvider: provide("lenses") },
    commands: {
      registerCommand: (name: string, run: (...given: unknown[]) => unknown) => {
        registered[name] = run;
      },
    },
    workspace: {
      getConfiguration: () => ({ get: () => ["npx", "statelab"] }),
      openTextDocument: async () => document,
      asRelativePath: () => "a.py",
      getWorkspaceFolder: () => undefined,
    },
    ...{ EventEmitter: Emitter, TreeItem: Item, ThemeIcon: Item },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    ...{ DebugAdapterExecutable: Executable, CodeLens: Item, Range: Item },
  };
  const module = { exports: {} as { activate(context: object): void } };
  const load = (name: string) =>
    name === "vscode" ? vscode : createRequire(import.meta.url)(join(folder, name));
  new Function("require", "module", code)(load, module);
  module.exports.activate({ subscriptions: [] });

  expect(providers.adapter.createDebugAdapterDescriptor({}).given).toEqual(["npx", ["statelab", "dap"], {}]);
  const byDefault = providers.configuration.resolveDebugConfiguration(undefined, {});
  expect(byDefault).toMatchObject({ type: "statelab", request: "launch", program: "/w/a.py" });
  expect(providers.lenses.provideCodeLenses({ getText: () => "def f(): pass\nf()\n" })).toHaveLength(1);

  const uri = { fsPath: "/w/a.py" };
  await registered["statelab.debug"](uri, 2, undefined);
  await registered["statelab.debug"](uri, 5, "test_f()");
  for (const { name, type, request, ...attributes } of started) {
    expect([name, type, request]).toContain("statelab");
    expect(LaunchArguments.strict().safeParse(attributes).success).toBe(true);
  }
  expect(started.map(({ call }) => call)).toEqual([undefined, "test_f()"]);

  const tracker = providers.tracker.createDebugAdapterTracker(session);
  for (const message of ["read error", "spawn statelab ENOENT"]) tracker.onError({ message });
  expect(shown).toEqual([
    'Statelab did not start (spawn statelab ENOENT). Set statelab.command, for example to ["npx", "statelab"].',
  ]);
  tracker.onDidSendMessage({ type: "event", event: "stopped" });
  tracker.onDidSendMessage({ type: "event", event: "stopped" });
  await expect.poll(() => requests.filter(([command]) => command === "moments")).toHaveLength(2);
  expect(requests.filter(([command]) => command !== "moments")).toEqual([
    ["gotoTargets", { source: { path: "/w/a.py" }, line: 3 }],
    ["goto", { threadId: 1, targetId: 4 }],
  ]);
  await expect.poll(async () => (await providers.moments.getChildren()).length).toBe(2);
  const [group] = await providers.moments.getChildren();
  expect(providers.moments.getTreeItem(group).label).toBe("Moments 0 to 199");
  const [row] = await providers.moments.getChildren(group);
  const { command } = providers.moments.getTreeItem(row);
  expect(command).toMatchObject({ command: "statelab.goto", arguments: [4] });
  requests.length = 0;
  await registered[command.command](...command.arguments);
  expect(requests).toEqual([["goto", { threadId: 1, targetId: 4 }]]);
});
