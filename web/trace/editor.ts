/** @file The editor of Python programs: CodeMirror. In a shadow root its styles need no style element, which the page's policy forbids. */

import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import {
  HighlightStyle,
  indentService,
  indentUnit,
  LRLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { parser } from "@lezer/python";
import type { SyntaxProblem } from "../../src/schemas/trace.ts";

const setProblem = StateEffect.define<SyntaxProblem | undefined>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { docChanged, effects, newDoc }) {
    const effect = effects.find((each) => each.is(setProblem));
    if (effect === undefined) return docChanged ? Decoration.none : shown;
    const problem: SyntaxProblem | undefined = effect.value;
    if (!problem?.place) return Decoration.none;
    const { line: number, column, endColumn } = problem.place;
    const isInCall = problem.in === "call"; // the last line
    const end = newDoc.toString().trimEnd().length;
    const line = isInCall ? newDoc.lineAt(end) : newDoc.line(Math.min(number, newDoc.lines));
    const whole = Decoration.line({ class: "wrong" }).range(line.from);
    const [from, to] = [column - 1, Math.max(column, endColumn - 1)].map((at) => line.from + at);
    if (isInCall || to > line.to) return Decoration.set([whole]);
    return Decoration.set([whole, Decoration.mark({ class: "wrong-part" }).range(from, to)]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const extensions = [
  [lineNumbers(), history(), marks, keymap.of([...standardKeymap, ...historyKeymap])],
  LRLanguage.define({ parser }),
  EditorView.lineWrapping, // axe finds no way to scroll its region by the keyboard
  indentUnit.of("    "),
  indentService.of((context, at) => {
    const { text } = context.lineAt(at, -1);
    return text.search(/\S|$/) + (/:\s*$/.test(text) ? 4 : 0);
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.keyword, color: "var(--accent)" },
      { tag: tags.string, color: "var(--good)" },
      { tag: tags.comment, color: "var(--muted)" },
    ]),
  ),
  EditorView.contentAttributes.of({ "aria-label": "Python program" }),
  EditorView.domEventHandlers({
    // Chromium itself would keep the style of the replaced text in an attribute, which the policy reports.
    beforeinput(event, view) {
      if (event.inputType !== "insertText" || event.data === null || view.state.selection.main.empty) return;
      event.preventDefault();
      view.dispatch(view.state.replaceSelection(event.data));
    },
  }),
  EditorView.theme({
    "&.cm-focused": { outline: "2px solid var(--accent)" },
    ".cm-scroller": { font: "inherit" },
    ".cm-content": { caretColor: "var(--ink)", minHeight: "9rem" },
    ".cm-gutters": { background: "none", color: "var(--muted)", border: "0" },
    ".wrong": { background: "var(--bad-soft)" },
    ".wrong-part": { textDecoration: "underline wavy var(--bad)" },
  }),
];

/** An editor of the text of `host`; `write` gets each new text. */
export function openEditor(host: Element, write: (text: string) => void) {
  const parent = host.attachShadow({ mode: "open" });
  const written = EditorView.updateListener.of(
    ({ docChanged, state }) => docChanged && write(state.doc.toString()),
  );
  const doc = host.textContent;
  const view = new EditorView({ doc, parent, root: parent, extensions: [...extensions, written] });
  return {
    replace: (insert: string) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, selection: { anchor: 0 } }),
    /** Marks the place until the text changes. */
    mark: (problem: SyntaxProblem | undefined) => view.dispatch({ effects: setProblem.of(problem) }),
  };
}
