/** @file A session with the adapter by VS Code's own test client, in this process or with the command in another. */

import { type ChildProcess, spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import { DebugClient } from "@vscode/debugadapter-testsupport";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { main } from "../../../test/kit/cli.ts";
import { readProgram } from "../../cli/lib/program.ts";
import { findNative } from "../../python/sandbox/native.ts";
import { serveDap } from "./serve.ts";

/** The host that starts faster, if it is there. */
export const fasterHost = findNative().kind === "missing" ? "embedded" : "native";

export class Client extends DebugClient {
  readonly output: DebugProtocol.OutputEvent["body"][] = [];
  /** Number of requests since the last `begin`. */
  requests = 0;
  /** Settled when the server has ended. */
  ended: Promise<unknown> = Promise.resolve();
  child: ChildProcess | undefined;

  constructor() {
    super("", "", "statelab");
    this.defaultTimeout = 55_000;
    this.on("output", ({ body }: DebugProtocol.OutputEvent) => this.output.push(body));
  }

  inProcess(): this {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    this.ended = serveDap({ input, write: (text) => output.write(text), read: readProgram, signal });
    this.connect(output, input);
    return this;
  }

  asCommand(): this {
    const child = spawn(process.execPath, [main, "dap"], { stdio: "pipe" });
    this.child = child;
    this.ended = new Promise((resolve) => child.once("exit", resolve));
    this.connect(child.stdout, child.stdin);
    return this;
  }

  /** initialize and launch, to the event `initialized`. */
  async open(launch: object): Promise<DebugProtocol.Capabilities> {
    const initialized = this.waitForEvent("initialized");
    const { body = {} } = await this.initializeRequest();
    await Promise.all([initialized, this.launchRequest(launch as DebugProtocol.LaunchRequestArguments)]);
    return body;
  }

  /** To the first stop. */
  async begin(): Promise<Stop> {
    const stop = await this.go("configurationDone");
    this.requests = 0;
    return stop;
  }

  /** The body of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: each request has another body
  async ask(command: string, given: object = {}): Promise<any> {
    this.requests += 1;
    return (await this.customRequest(command, given)).body;
  }

  /** A request that ends in a stop; where, by the innermost frame. */
  async go(command: string, given: object = {}): Promise<Stop> {
    const stopped = this.waitForEvent("stopped");
    await this.ask(command, { threadId: 1, ...given });
    const { body } = (await stopped) as DebugProtocol.StoppedEvent;
    const { stackFrames } = await this.ask("stackTrace", { threadId: 1 });
    const [{ name, line, id }] = stackFrames;
    return { place: `${name}:${line}`, frameId: id, ...body };
  }

  /** The message of the refusal. */
  async refusal(command: string, given: object = {}): Promise<string> {
    try {
      await this.ask(command, given);
    } catch (error) {
      return (error as Error).message;
    }
    return `${command} was not refused`;
  }

  text(category: string): string {
    return this.output
      .filter((each) => each.category === category)
      .map(({ output }) => output)
      .join("");
  }
}

export interface Stop {
  /** `function:line` */
  readonly place: string;
  readonly frameId: number;
  readonly reason: string;
  readonly description?: string;
  readonly hitBreakpointIds?: readonly number[];
}
