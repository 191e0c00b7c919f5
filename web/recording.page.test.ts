import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { recordingPage } from "../src/app/trace/page.ts";
import { hasPython, runPython } from "../src/python/trace/python.test-helper.ts";
import { parseHistory } from "../src/schemas/execution-trace.ts";
import { executablePath, expectFair, launch, openPage } from "./page.test-helper.ts";

const source = `import sys
def main():
    row = [0, "</script><script>document.title = 'taken'</script>"]
    rows = [row, row]
    name = "<!-- <script> & \\" ' ü 😀"
    print("😀 first", sys.argv[1])
    print(name + input())
    raise ValueError("<b>")
main()
`;

test.skipIf(!hasPython || executablePath === undefined)(
  "the page of a recording steps in both directions; a hostile program's text stays text (skipped without python3, Chromium)",
  async () => {
    const request = { operation: "history", source, call: "None", stdin: "</pre>\n", argv: ["<i>"] };
    const [answer] = runPython([request]);
    const record = parseHistory(answer, "history");
    const folder = mkdtempSync(join(tmpdir(), "page-"));
    const browser = await launch();
    try {
      const file = join(folder, "run.html");
      writeFileSync(file, recordingPage(record, "<b>.py", "python3 <b>.py"));
      const opened = await openPage(browser, pathToFileURL(file).href, { width: 600 });
      const { page } = opened;
      const text = (place: string) => page.locator(place).textContent();
      const last = record.events.length - 1;
      expect([await page.title(), await text("h1")]).toEqual(["<b>.py · Statelab", "<b>.py"]);
      expect(await text("#code")).toBe(source.split("\n").slice(0, -1).join(""));
      expect([await text("#output"), await text("#step")]).toEqual([
        "",
        expect.stringContaining("Step 1 of"),
      ]);
      const moments: (string | null)[] = [];
      for (let moment = 0; moment <= last; moment++) {
        expect(await text("#step")).toContain(
          `Step ${moment + 1} of ${last + 1}: line ${record.events[moment].line} of `,
        );
        moments.push(await page.locator("main").innerHTML());
        if (moment < last) await page.keyboard.press("ArrowRight");
      }
      const printed = record.events.findIndex((each) => each.printed > 0);
      const all = `😀 first <i>\n<!-- <script> & " ' ü 😀</pre>\n`;
      expect(await text("#output")).toBe(all);
      await page.locator("#slider").fill(String(printed));
      expect(await text("#output")).toBe("😀 first <i>\n");
      // row, rows, and rows[0] and rows[1], which are row
      expect(await page.locator("#objects caption").allTextContents()).toEqual(["list", "list"]);
      expect(await page.locator("path.arrow").count()).toBe(4);
      const saved = page.waitForEvent("download");
      await page.locator("#save").click();
      const picture = readFileSync(await (await saved).path(), "utf8");
      const drawn = await page.evaluate((text) => {
        const { documentElement: svg } = new DOMParser().parseFromString(text, "image/svg+xml");
        const words = [...svg.querySelectorAll("text")].map((each) => each.textContent);
        return [words.join(""), svg.querySelectorAll('path[fill="none"]').length];
      }, picture);
      expect(drawn).toEqual([(await text(".stage"))?.replace(/\s+/g, ""), 4]);
      expect(await page.locator("#frames").textContent()).toContain("name'<!-- <script> & \" \\' ü 😀'");
      await page.locator("#first").click();
      for (const moment of [1, 2]) {
        await page.locator("#forward").click();
        expect(await page.locator("main").innerHTML()).toBe(moments[moment]);
      }
      await page.locator("#back").click();
      expect(await page.locator("main").innerHTML()).toBe(moments[1]); // backwards as forwards
      await page.locator("#last").click();
      expect(await text("#step")).toContain("left by an exception");
      await expectFair(opened, 600);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  },
  300_000,
);
