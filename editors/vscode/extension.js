/** @file The VS Code extension: starts `statelab dap`, code lenses, and the list of moments of the recorded run. */

const vscode = require("vscode");
const { lensesIn } = require("./code-lenses.js");

const TYPE = "statelab";
const THREAD = 1;
/** Moments in a group of the list. */
const GROUP = 200;

function activate(context) {
  const moments = new Moments();
  const view = vscode.window.createTreeView("statelab.moments", { treeDataProvider: moments });
  /** Lines to go to at the first stop, by the name of the configuration. */
  const lines = new Map();
  const register = (...disposables) => context.subscriptions.push(view, ...disposables);

  register(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor({ workspaceFolder }) {
        const [command, ...args] = vscode.workspace.getConfiguration(TYPE).get("command");
        const cwd = workspaceFolder?.uri.fsPath;
        return new vscode.DebugAdapterExecutable(command, [...args, "dap"], cwd ? { cwd } : {});
      },
    }),

    vscode.debug.registerDebugConfigurationProvider(TYPE, {
      /** F5 without a launch.json records the open file. */
      resolveDebugConfiguration(_, configuration) {
        if (configuration.type) return configuration;
        const document = vscode.window.activeTextEditor?.document;
        if (document?.languageId !== "python") return undefined;
        return { type: TYPE, request: "launch", name: "Record this file", program: document.fileName };
      },
    }),

    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage(message) {
          if (message.type !== "event" || message.event !== "stopped") return;
          const line = lines.get(session.name);
          lines.delete(session.name);
          const arrived = line === undefined ? Promise.resolve() : goToLine(session, line);
          arrived.then(() => moments.show(session));
        },
        onError({ message }) {
          if (!message.startsWith("spawn ")) return; // of a session that began, VS Code itself shows the end
          vscode.window.showErrorMessage(
            `Statelab did not start (${message}). Set statelab.command, for example to ["npx", "statelab"].`,
          );
        },
      }),
    }),

    vscode.debug.onDidTerminateDebugSession((session) => {
      if (session.type === TYPE) moments.show(undefined);
    }),

    vscode.languages.registerCodeLensProvider(
      { language: "python" },
      {
        provideCodeLenses: (document) =>
          lensesIn(document.getText()).map(({ line, title, call }) => {
            const given = [document.uri, line, call];
            const command = { command: "statelab.debug", title, arguments: given };
            return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
          }),
      },
    ),

    vscode.commands.registerCommand("statelab.debug", async (uri, line, call) => {
      const document = await vscode.workspace.openTextDocument(uri);
      await document.save();
      const name = `${call ?? `line ${line + 1}`} of ${vscode.workspace.asRelativePath(uri)}`;
      if (call === undefined) lines.set(name, line + 1);
      await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), {
        ...{ type: TYPE, request: "launch", name, program: uri.fsPath, stopOnEntry: true },
        ...(call !== undefined && { call }),
      });
    }),

    vscode.commands.registerCommand("statelab.goto", async (moment) => {
      const session = vscode.debug.activeDebugSession;
      if (session?.type !== TYPE) return;
      const typed = moment ?? (await vscode.window.showInputBox({ prompt: "Moment, from 0" }));
      if (/^\d+$/.test(typed))
        await session.customRequest("goto", { threadId: THREAD, targetId: Number(typed) });
    }),
  );
}

/** Goes to the first moment at which the line runs, if it does. */
async function goToLine(session, line) {
  const source = { path: session.configuration.program };
  const { targets } = await session.customRequest("gotoTargets", { source, line });
  const [first] = targets.toSorted((a, b) => a.id - b.id);
  if (first !== undefined) await session.customRequest("goto", { threadId: THREAD, targetId: first.id });
}

/** The moments of a recorded run as a tree: groups, and in each one row per moment. */
class Moments {
  #session;
  #total = 0;
  #current = 0;
  #changed = new vscode.EventEmitter();
  onDidChangeTreeData = this.#changed.event;

  async show(session) {
    const first = await session?.customRequest("moments", { count: 0 });
    this.#session = session;
    [this.#total, this.#current] = [first?.total ?? 0, first?.current ?? 0];
    this.#changed.fire();
  }

  async getChildren(group) {
    if (group === undefined)
      return Array.from({ length: Math.ceil(this.#total / GROUP) }, (_, i) => ({ start: i * GROUP }));
    const { moments } = await this.#session.customRequest("moments", { start: group.start, count: GROUP });
    return moments;
  }

  getTreeItem(each) {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if ("start" in each) {
      const last = Math.min(each.start + GROUP, this.#total) - 1;
      const isCurrent = this.#current >= each.start && this.#current <= last;
      return new vscode.TreeItem(`Moments ${each.start} to ${last}`, isCurrent ? Expanded : Collapsed);
    }
    const { moment, event, line, source } = each;
    const item = new vscode.TreeItem(
      `${moment}  ${event === "line" ? source : `${event} ${each.function}`}`,
      None,
    );
    item.description = `${each.function}, line ${line}`;
    if (moment === this.#current) item.iconPath = new vscode.ThemeIcon("debug-stackframe");
    item.command = { command: "statelab.goto", title: "Go to this moment", arguments: [moment] };
    return item;
  }
}

module.exports = { activate, deactivate() {} };
