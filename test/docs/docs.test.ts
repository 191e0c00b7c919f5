import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { fateOf, fates, shownCommands } from "./commands.test-helper.ts";
import { inCode, page, pages, project, tableOf } from "./docs.test-helper.ts";

/** A text without its blocks of code. */
const prose = (text: string) => text.replaceAll(/^ *(`{3,}).*?^ *\1$/gms, "");

/** Where a page's links lead that are not to other places on the network. */
function linksOf(path: string): { target: string; anchor: string | undefined }[] {
  const links = [...prose(page(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links
    .filter((link) => !/^\w+:/.test(link))
    .map((link) => {
      const [file, anchor] = link.split("#");
      return { target: file === "" ? path : normalize(join(dirname(path), file)), anchor };
    });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(path: string): string[] {
  const headings = [...prose(page(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(pages())("every link of %s leads somewhere", (path) => {
  const broken = linksOf(path).filter(
    ({ target, anchor }) =>
      !existsSync(join(project, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test("a link that leads nowhere would be found", () => {
  expect(linksOf("docs/index.md").length).toBeGreaterThan(15);
  expect(anchorsOf("docs/how-to/library.md")).toContain("commands-as-functions");
});

test("docs/how-to/extend.md names registries and folders that are there", () => {
  const named = tableOf(page("docs/how-to/extend.md"), "one more").flatMap((cells) =>
    inCode(cells.join(" ")),
  );
  const there = named.map((path) => path.replace(/(FAMILY\/)?NAME.*/, ""));
  expect(there.length).toBeGreaterThan(25);
  expect(there.filter((path) => !existsSync(join(project, path)))).toEqual([]);
});

test("every command of every page is run by a test, or there is a reason why not", () => {
  const shown = shownCommands();
  expect(shown.length).toBeGreaterThan(60);
  expect(shown.filter(({ command }) => fateOf(command) === undefined)).toEqual([]);
  const named = fates.flatMap(([, fate]) => ("test" in fate ? [fate.test] : []));
  expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([]);
});

test("no reason is left of a command that no page shows any more", () => {
  const used = new Set(shownCommands().map(({ command }) => fateOf(command)));
  expect(fates.filter(([, fate]) => !used.has(fate)).map(([form]) => String(form))).toEqual([]);
});
