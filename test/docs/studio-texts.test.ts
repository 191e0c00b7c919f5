/** @file Texts of Studio: short, and in the vocabulary of the documentation (site/prh.yml). */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAst } from "vitest/node";
import { project, slips } from "./docs.test-helper.ts";

const LONGEST_SENTENCE = 35;
const LONGEST_HEADING = 10;

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

/** The text of an expression, `x` where it is computed; undefined where it has none. */
function textOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral")
    return (node.quasis as { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join("x");
  if (node.type === "JSXText") return node.value as string;
  if (node.type === "JSXExpressionContainer") {
    const expression = node.expression as Node;
    return expression.type === "JSXEmptyExpression" ? "" : (textOf(expression) ?? "x");
  }
  if (node.type === "JSXElement")
    return (node.children as Node[]).map((child) => textOf(child) ?? "x").join("");
  return undefined;
}

const BLOCKS = ["p", "h1", "h2", "h3", "summary", "li", "figcaption", "caption", "button", "dt", "dd"];

interface Text {
  readonly element: string;
  readonly text: string;
}

/** The texts of a source: of each block element whole, and each string with a space. */
function textsOf(source: string): Text[] {
  const texts: Text[] = [];
  const add = (element: string, text: string | undefined) => {
    const words = text?.replaceAll(/\s+/g, " ").trim() ?? "";
    if (words.includes(" ")) texts.push({ element, text: words });
  };
  const visit = (node: Node) => {
    if (node.type === "ImportDeclaration") return;
    if (node.type === "JSXAttribute" && (node.name as Node).name === "class") return;
    if (node.type === "JSXElement") {
      const { name } = (node.openingElement as { readonly name: Node }).name;
      if (BLOCKS.includes(String(name))) add(String(name), textOf(node));
    } else if (!node.type.startsWith("JSX")) add("", textOf(node));
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(source, { lang: "tsx" }) as unknown as Node); // its types know no JSX
  return texts;
}

const files = readdirSync(join(project, "web"), { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.(test|soak|test-helper)\.ts$/.test(path),
);
const texts = files.flatMap((path) =>
  textsOf(readFileSync(join(project, "web", path), "utf8")).map((text) => ({ path, ...text })),
);

/** Slips that pages may write in another sense, and Studio has no use for. */
const ownSlips = /\b(who|recipe|lends?|gone through|fresh|anew|learned its training|shows nothing|holds)\b/i;

test("the texts of Studio are in the vocabulary of the documentation", () => {
  expect(texts.length).toBeGreaterThan(300);
  const patterns = [ownSlips, ...slips.map(({ form }) => form)];
  const found = texts.filter(({ text }) => patterns.some((pattern) => pattern.test(text)));
  expect(found).toEqual([]);
});

test("no sentence of Studio is long, nor a heading", () => {
  const long = texts.filter(({ element, text }) => {
    const most = element.startsWith("h") ? LONGEST_HEADING : LONGEST_SENTENCE;
    return text.split(/(?<=[.!?:]) /).some((sentence) => sentence.split(" ").length > most);
  });
  expect(long).toEqual([]);
});

test("a text is found in an element, across its expressions, and in a string, but not in a class", () => {
  const source = 'const a = <p class="not this">Nobody <b>knows</b> {n}.</p>; const b = "it is so";';
  expect(textsOf(source)).toEqual([
    { element: "p", text: "Nobody knows x." },
    { element: "", text: "it is so" },
  ]);
});
