/** The site of the documentation: installed, its words checked, built, and read in a browser below a path of a server. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { project } from "../test/package.test-helper.ts";
import { executablePath, expectFair, launch, openPage } from "./page.test-helper.ts";

const site = join(project, "site");

/** What a program says and how it ends. */
async function run(command: string, args: readonly string[], input = "") {
  const program = spawn(command, args, { cwd: site });
  program.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, "close"),
  ]);
  return { status, stdout, stderr };
}

const flags = ["--ignore-scripts", "--no-audit", "--fetch-retries=1", "--fetch-timeout=20000"];
const installed = await run("npm", ["ci", ...flags]);
const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EIDLETIMEOUT/.test(
  installed.status === 0 ? "" : installed.stderr,
);

const types: Record<string, string> = {
  ...{ ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" },
  ...{ ".svg": "image/svg+xml", ".gif": "image/gif", ".woff2": "font/woff2", ".wasm": "application/wasm" },
};

describe.skipIf(offline)(`the site${offline ? ", skipped: npm cannot reach the registry" : ""}`, () => {
  test("npm ci --ignore-scripts installs what it is built with", () => {
    expect(installed.status, installed.stderr).toBe(0);
  });

  test.concurrent("it is built without a dead link", async () => {
    const { status, stdout, stderr } = await run(process.execPath, ["build.mjs"]);
    expect(status, stderr).toBe(0);
    expect(stdout).toBe("Wrote the site to site/dist. Any web server can serve it, from any path.\n");
  });

  test.concurrent("pages written by hand keep to the vocabulary, and no sentence has more than 40 words", async () => {
    const { status, stdout } = await run(process.execPath, ["lint.mjs"]);
    expect(status, stdout).toBe(0);
  });

  test.concurrent("a page with words of the old vocabulary does not pass, nor one with a longer sentence", async () => {
    const args = ["node_modules/textlint/bin/textlint.js", "--stdin", "--stdin-filename", "a.md"];
    const bad = `Whoever reads this trains a model of its own.\n\n${"many ".repeat(41)}words.\n`;
    const { status, stdout } = await run(process.execPath, args, bad);
    expect([status, stdout.match(/ => /g)?.length]).toEqual([1, 2]);
    expect(stdout).toContain("Exceeds the maximum word count of 40");
  });

  describe.skipIf(executablePath === undefined)("in Chromium, from /some/path/", () => {
    const prefix = "/some/path/";
    let browser: Browser;
    let server: Server;
    let home: string;

    beforeAll(async () => {
      server = createServer(({ url = "" }, response) => {
        const { pathname } = new URL(url, "http://site");
        const path = join(
          site,
          "dist",
          pathname.slice(prefix.length),
          pathname.endsWith("/") ? "index.html" : "",
        );
        const found = pathname.startsWith(prefix) && existsSync(path);
        response.writeHead(found ? 200 : 404, { "content-type": types[extname(path)] ?? "text/plain" });
        response.end(found ? readFileSync(path) : undefined);
      });
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      home = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
    });

    const read = ["", "how-to/sweep.html", "reference/commands.html"];
    test.each([
      ...read.map((path) => [path, 1280, "light"] as const),
      ...read.map((path) => [path, 390, "dark"] as const),
    ])("axe finds nothing on /%s at %i pixels, %s", async (path, width, scheme) => {
      const opened = await openPage(browser, `${home}${path}`, { width, scheme });
      await opened.page.waitForLoadState("networkidle");
      await expectFair(opened, width, ["minor", "moderate", "serious", "critical"]);
      const blank = await opened.page.evaluate(
        () => [...document.images].filter((image) => image.naturalWidth === 0).length,
      );
      expect(blank).toBe(0);
      await opened.page.close();
    });

    test("the search finds eigenvalue, reveal and onset", async () => {
      for (const word of ["eigenvalue", "reveal", "onset"]) {
        // A page of its own: the box would first show what the last word found.
        const { page, wrong } = await openPage(browser, `${home}how-to/sweep.html`);
        await page.waitForLoadState("networkidle");
        await page.click(".DocSearch-Button");
        await page.fill(".search-input", word);
        await page.locator(".VPLocalSearchBox .result").first().click();
        await page.locator(".VPLocalSearchBox").waitFor({ state: "detached" });
        await page.locator(".vp-doc", { hasText: new RegExp(word, "i") }).waitFor();
        expect(page.url().startsWith(home)).toBe(true);
        expect(wrong).toEqual([]);
        await page.close();
      }
    });

    test("links lead where they should after the reader went to a page of another folder", async () => {
      const { page, wrong } = await openPage(browser, home);
      await page.click(".VPSidebar >> text=Commands");
      await page.waitForURL(`${home}reference/commands.html`);
      await page.click(".VPSidebar >> text=Belief");
      await page.waitForURL(`${home}concepts/belief.html`);
      await page.click(".VPNavBarTitle a");
      await page.waitForURL(home);
      await page.click(".VPNavBarMenu >> text=Studio");
      await page.waitForURL(`${home}studio/`);
      await page.waitForSelector("h1, h2");
      expect(wrong).toEqual([]);
      await page.close();
    });
  });
});
