import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import { base } from "./base.mjs";
import { groups } from "./sidebar.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
/** Where a reader finds a file of the repository. It has no public address: its path is shown instead. */
const addressOf = (_path: string): string | undefined => undefined;

const guide: DefaultTheme.SidebarItem[] = groups.map(({ text, pages }) => ({
  text,
  items: pages.map(([path, label]) => ({ text: label, link: `/${path.replace(/index$/, "")}` })),
}));
guide.find(({ text }) => text === "Reference")!.items!.push({ text: "Library API", link: "/api/" });

/** Made by TypeDoc before the site is built (build.mjs): by path, the name that it is imported by. */
const api = readdirSync(join(project, "site/api"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md") && file !== "index.md")
  .map((file) => file.replace(/(index)?\.md$/, ""))
  .map((path) => ({
    text: path.startsWith("statelab/")
      ? path.replace("/namespaces/", ": ").replace(/\/$/, "")
      : `statelab/${path}`,
    link: `/api/${path}`,
  }))
  .toSorted((one, other) => (one.text < other.text ? -1 : 1));

export default defineConfig({
  title: "Statelab",
  description: "Can a sequence model follow the hidden state of a running program?",
  lang: "en-US",
  base, // build.mjs replaces it
  // The repository, so that the pages of docs/ and of site/api/ are one site.
  srcDir: "..",
  srcExclude: ["!(docs|site)/**", "*.md", "site/!(api)/**"],
  rewrites: { "docs/:path*": ":path*", "site/:path*": ":path*" },
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  head: [["link", { rel: "icon", href: "data:," }]],
  vite: {
    plugins: [
      {
        // Pages outside this folder find its Vue.
        name: "vue",
        enforce: "pre",
        resolveId(source, _importer, options) {
          if (!/^vue($|\/)/.test(source)) return;
          if (options.ssr) return { id: source, external: true };
          return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
        },
      },
    ],
  },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/tutorial/train-a-model", activeMatch: "^/tutorial/" },
      { text: "How to", link: "/how-to/train", activeMatch: "^/how-to/" },
      { text: "Concepts", link: "/concepts/repl-traces", activeMatch: "^/concepts/" },
      { text: "Reference", link: "/reference/commands", activeMatch: "^/(reference|api)/" },
      { text: "Results", link: "/results/", activeMatch: "^/results/" },
      { text: "Studio", link: "/studio/", target: "_self" },
    ],
    sidebar: {
      "/": guide,
      "/api/": [
        { text: "All pages", link: "/" },
        { text: "Library API", link: "/api/", items: api },
      ],
    },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // Of the library's reference its names are found, not "Parameters" and "Returns" a thousand times.
        _render: (text, env, md) =>
          md.render(
            /^(site\/)?api\//.test(env.relativePath)
              ? (text.match(/^#{1,3} .*$/gm) ?? []).join("\n\n")
              : text,
            env,
          ),
      },
    },
  },
  markdown: {
    // Anchors as on GitHub, where the pages are read as well.
    anchor: {
      slugify: (text) =>
        text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-"),
    },
    linkify: false, // http://localhost is no link
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      md.core.ruler.push("fit", ({ tokens, env, Token }) => {
        for (const [at, { type, children }] of tokens.entries()) {
          // Indented code scrolls as code in a fence does.
          if (type === "code_block") tokens[at].type = "fence";
          // A head without text is no head for a screen reader.
          if (type === "th_open" && tokens[at + 1].content === "") tokens[at].tag = tokens[at + 2].tag = "td";
          // A link to a file outside docs/ leads to the repository or, without an address, is followed by the file's path, which alone is in a table.
          for (const [start, link] of [...(children?.entries() ?? [])].reverse()) {
            const href = link.type === "link_open" ? (link.attrGet("href") ?? "") : "#";
            const path = join("docs", dirname(env.relativePath), href);
            if (/^(\w+:|#|\/)/.test(href) || path.startsWith("docs/")) continue;
            const address = addressOf(path);
            if (address !== undefined) {
              link.attrSet("href", address);
              continue;
            }
            const end = children!.findIndex(({ type }, place) => place > start && type === "link_close");
            const text = children!.slice(start + 1, end);
            const token = (type: string, content: string) =>
              Object.assign(new Token(type, "", 0), { content });
            const code = token("html_inline", `<code>${path.replaceAll("/", "/<wbr>")}</code>`);
            const shown = text.map(({ content }) => content).join("");
            const enough =
              tokens[at - 1].type === "td_open" || path.endsWith(shown.replace(/^(\.\.\/)+/, ""));
            const instead = enough ? [code] : [...text, token("text", " ("), code, token("text", ")")];
            children!.splice(start, end + 1 - start, ...instead);
          }
        }
      });
    },
  },
});
