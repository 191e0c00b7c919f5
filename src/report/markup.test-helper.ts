/**
 * @file A strict reader of the markup that this room writes: an independent witness of its form.
 *
 * It knows tags, attributes, text and five entities, and refuses all else: a tag left open or closed twice, an attribute
 * named twice, a bare & or <, a character that XML forbids.
 */

export interface Node {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Node | string)[];
}

const ENTITY: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

export function readMarkup(source: string): Node {
  const text = source.replace(/^<!doctype html>/, "");
  const root: { tag: string; attributes: Record<string, string>; children: (Node | string)[] } = {
    tag: "#root",
    attributes: {},
    children: [],
  };
  const open = [root];
  let at = 0;
  while (at < text.length) {
    const parent = open.at(-1)!;
    if (text[at] !== "<") {
      const end = text.indexOf("<", at) === -1 ? text.length : text.indexOf("<", at);
      parent.children.push(decoded(text.slice(at, end)));
      at = end;
      continue;
    }
    const closing = /^<\/([a-z][a-z0-9]*)>/i.exec(text.slice(at, at + 80));
    if (closing !== null) {
      if (parent.tag !== closing[1]) throw new Error(`</${closing[1]}> closes <${parent.tag}> at ${at}`);
      open.pop();
      at += closing[0].length;
      continue;
    }
    const opening = /^<([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][-:a-zA-Z0-9]*="[^"<]*")*)(\/?)>/.exec(
      text.slice(at),
    );
    if (opening === null) throw new Error(`not a tag at ${at}: ${text.slice(at, at + 60)}`);
    const node = { tag: opening[1]!, attributes: attributesOf(opening[2]!), children: [] };
    parent.children.push(node);
    if (opening[3] === "") open.push(node);
    at += opening[0].length;
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)!.tag}> is never closed`);
  const elements = root.children.filter((child) => typeof child !== "string");
  if (elements.length !== 1) throw new Error(`expected one root, got ${elements.length}`);
  return elements[0]!;
}

/** Every element below and including this one, in document order. */
export function all(node: Node, tag?: string): Node[] {
  const below = node.children.flatMap((child) => (typeof child === "string" ? [] : all(child, tag)));
  return tag === undefined || node.tag === tag ? [node, ...below] : below;
}

export function textOf(node: Node): string {
  return node.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

export const withClass = (node: Node, name: string) =>
  all(node).filter(({ attributes }) => (attributes.class ?? "").split(" ").includes(name));

function attributesOf(source: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name, value] of source.matchAll(/\s+([^=\s]+)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, name!)) throw new Error(`attribute ${name} twice`);
    attributes[name!] = decoded(value!);
  }
  return attributes;
}

function decoded(source: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them, so finding one is the point
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/.test(source))
    throw new Error("a character that XML forbids");
  const bare = /&(?!(?:amp|lt|gt|quot|#39);)/.exec(source);
  if (bare !== null) throw new Error(`a bare & in ${source.slice(bare.index, bare.index + 40)}`);
  return source.replace(/&([^;]+);/g, (_, name: string) => ENTITY[name]!);
}
