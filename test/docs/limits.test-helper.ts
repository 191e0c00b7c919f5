/** @file How long a page, its sentences and its headings are. */

/** A page without the parts that are made, as tables of results. */
const writtenByHand = (page: string) => page.replaceAll(/<!-- [^>]*: made by .*?<!-- end -->/gs, "");

/** A text without its blocks of code, comments and front matter. */
const withoutCode = (text: string) =>
  text
    .replaceAll(/<!--.*?-->/gs, "")
    .replace(/^---\n.*?\n---\n/s, "")
    .replaceAll(/^ *(`{3,}).*?^ *\1$/gms, "\n");

/** The sentences of a page, each as the number of its words: not those of tables, headings and images. A span of code is one word. */
export function sentencesOf(page: string): number[] {
  return withoutCode(page)
    .split(/\n\s*\n/)
    .filter((block) => !/^\s*([|#[]|!\[| {4})/.test(block))
    .map((block) => block.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/`[^`]*`/g, "x"))
    .flatMap((block) => `\n${block}`.split(/\n *[-*] |\n *\d+\. /))
    .flatMap((item) =>
      item
        .trim()
        .replaceAll(/\s+/g, " ")
        .split(/(?<=[.!?:]) /),
    )
    .map((sentence) => sentence.split(" ").length)
    .filter((words) => words > 2);
}

export interface Measures {
  readonly words: number;
  /** Words of a sentence: their mean, their 95th percentile, the most. */
  readonly mean: number;
  readonly percentile: number;
  readonly longest: number;
  /** Words of the longest heading. */
  readonly heading: number;
}

export function measure(text: string): Measures {
  const page = writtenByHand(text);
  const sentences = sentencesOf(page).toSorted((one, other) => one - other);
  const headings = [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(
    ([, heading]) => heading.split(" ").length,
  );
  return {
    words: page.split(/\s+/).filter((word) => word !== "").length,
    mean: sentences.reduce((sum, words) => sum + words, 0) / Math.max(1, sentences.length),
    percentile: sentences[Math.floor(0.95 * sentences.length)] ?? 0,
    longest: sentences.at(-1) ?? 0,
    heading: Math.max(0, ...headings),
  };
}

/** Whether a page says that it is made, not written. */
export const isGenerated = (page: string) =>
  /generated/i.test(page.slice(0, 400)) || page.includes("` writes this page.");
