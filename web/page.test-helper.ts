/** @file A page in a real browser, for tests: Debian's Chromium. Where there is none they are skipped, by name. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

export const executablePath = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What a slow machine may take for one step of a page, in milliseconds: ten times what is seen on an idle one. */
export const PATIENCE = 120_000;

export const launch = (...args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox", ...args] }); // the tests are skipped without

export interface Opened {
  readonly page: Page;
  /** Errors of its console, and requests to another server: a test expects none. */
  readonly wrong: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

export async function openPage(
  browser: Browser,
  address: string,
  { width = 1280, scheme = "light" }: OpenOptions = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  page.setDefaultTimeout(PATIENCE);
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (new URL(url).origin !== new URL(address).origin && !/^(data|blob):/.test(url)) wrong.push(url);
  });
  await page.goto(address);
  return { page, wrong };
}

/** Nothing of these impacts for axe, nothing wider than the screen, nothing in the console. */
export async function expectFair(
  { page, wrong }: Opened,
  width: number,
  impacts: readonly string[] = ["serious", "critical"],
): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run();
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0].html }));
  });
  expect(found.filter(({ impact }) => impacts.includes(impact))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  expect(wrong).toEqual([]);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
