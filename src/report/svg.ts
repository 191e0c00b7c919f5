/**
 * @file A small builder of SVG and HTML that escapes everything it is given.
 *
 *     element("p", { class: "note" }, "1 < 2")   ->   <p class="note">1 &lt; 2</p>
 *
 * The output is both HTML5 and well-formed XML, so that one checker serves pages and figures. Only `Markup`
 * passes unescaped, and only this file makes any: a string from a record stays a string.
 */

type Leaf = "circle" | "line" | "path" | "rect";
type Void = "br" | "meta";
type Drawing = Leaf | "desc" | "g" | "svg" | "text" | "title" | "tspan";
type Text = "a" | "code" | "data" | "em" | "mark" | "small" | "span" | "strong" | "time";
type List = "dd" | "dl" | "dt" | "li" | "ol" | "ul";
type Block = "details" | "div" | "figcaption" | "figure" | "p" | "pre" | "section" | "summary";
type Heading = "footer" | "h1" | "h2" | "h3" | "header" | "main";
type Table = "caption" | "table" | "tbody" | "td" | "th" | "thead" | "tr";
/** The elements that figures and pages are made of: none of them can run or load anything. */
export type Tag = Drawing | Void | Text | List | Block | Heading | Table | "body" | "head" | "html";

/** Finished markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Child = Markup | string | number | null | undefined | readonly Child[];

/** Strings are written as they are (escaped), numbers are drawing units and keep two decimals, undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Written as <path/> when they hold nothing; HTML forbids that of any other element. */
const EMPTY: ReadonlySet<Tag> = new Set<Leaf | Void>(["circle", "line", "path", "rect", "br", "meta"]);
/** These start a line, so that a person can read the source. White space means nothing around them. */
const STARTS_LINE: ReadonlySet<string> = new Set(
  "body caption circle dd details div dl dt figcaption figure footer g h1 h2 h3 head header html li line main meta ol p path pre rect section svg table tbody text thead tr ul".split(
    " ",
  ),
);
const ATTRIBUTE_NAME = /^(?!on)[a-zA-Z][-:a-zA-Z0-9]*$/;

/** One element; children that are strings are text. Throws on an attribute name that is not one, or a number that is not finite. */
export function element(tag: Tag, attributes: Attributes = {}, ...children: Child[]): Markup {
  const written = Object.entries(attributes)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .map(
      ([name, value]) =>
        ` ${attributeName(name)}="${escaped(typeof value === "number" ? units(value) : value)}"`,
    )
    .join("");
  const start = STARTS_LINE.has(tag) ? "\n" : "";
  const content = inner(children);
  if (!EMPTY.has(tag)) return new Markup(`${start}<${tag}${written}>${content}</${tag}>`);
  // A leaf of a drawing may carry a <title>, which browsers show on hover.
  return new Markup(
    content === "" ? `${start}<${tag}${written}/>` : `${start}<${tag}${written}>${content}</${tag}>`,
  );
}

/** A style sheet written by us: it is not escaped, so it must not be able to end its element. */
export function styleSheet(css: string): Markup {
  if (/[<&]/.test(css)) throw new Error("styleSheet: < and & would end or change the style element");
  return new Markup(`\n<style>${css}</style>`);
}

/** A drawing as a file: the element with its namespace and style sheet. */
export function standAlone(attributes: Attributes, css: string, ...children: Child[]): string {
  return `${element("svg", { xmlns: "http://www.w3.org/2000/svg", ...attributes }, styleSheet(css), children).text.trimStart()}\n`;
}

/** Text as markup. Characters that XML cannot hold at all become U+FFFD. */
export function escaped(text: string): string {
  return text.replace(UNWRITABLE, "\uFFFD").replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Control characters, lone surrogates, non-characters, and the controls that turn the direction of the text around them. */
const UNWRITABLE = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu;

function inner(children: readonly Child[]): string {
  return children
    .map((child) => {
      if (child === null || child === undefined) return "";
      if (child instanceof Markup) return child.text;
      if (Array.isArray(child)) return inner(child);
      return escaped(typeof child === "number" ? units(child) : String(child));
    })
    .join("");
}

function attributeName(name: string): string {
  if (!ATTRIBUTE_NAME.test(name))
    throw new Error(`element: ${JSON.stringify(name)} is not an attribute name`);
  return name;
}

function units(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`element: expected a finite number, got ${value}`);
  return String(Math.round(value * 100) / 100 + 0); // + 0 turns -0 into 0
}
