/**
 * @file A real S3-compatible server on this host, s3rver, with a temporary folder and port: can be stopped and restarted.
 *
 * s3rver knows who asks by the key's name alone and checks no signature of version 4. So that is done here before it gets a request,
 * in plain steps: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 *     method, path, query, headers, SHA-256 of the body  -> canonical request  -> string to sign  -> HMAC with a key of the day
 */

import { createHash, createHmac } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The one account of s3rver. */
const account = "S3RVER";
export const bucket = "lab";

export interface S3Server {
  readonly endpoint: string;
  /** What a process needs that asks it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Requests so far, as `PUT /lab/...`. */
  readonly requests: string[];
  /** Names of objects that are kept, below a prefix. */
  names(prefix: string): string[];
  /** Replaces an object's bytes on the disk, as a disk would. */
  damage(name: string): void;
  /** Breaks all connections; nothing listens then. */
  leave(): Promise<void>;
  come(): Promise<void>;
  /** Answers so to every request, until undefined. */
  answer(status: number | undefined): void;
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-s3-"));
  const S3rver = createRequire(import.meta.url)("s3rver") as new (
    options: object,
  ) => {
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }; // it has no types
  const store = new S3rver({ silent: true, directory: folder, configureBuckets: [{ name: bucket }] });
  await store.configureBuckets();
  const behind = store.callback();
  const requests: string[] = [];
  let status: number | undefined;
  let server: Server;
  let port = 0;
  /** One after the other: of a PUT that meets a DELETE of s3rver's in the same folder the file cannot be opened, and it never answers. */
  let turn: Promise<void> = Promise.resolve();
  const inTurn: RequestListener = (request, response) => {
    turn = turn.then(
      () =>
        new Promise((done) => {
          if (response.closed || request.destroyed) return done();
          response.once("close", () => done());
          behind(request, response);
        }),
    );
  };
  const come = () =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        const wrong = status === undefined ? refusal(request) : undefined;
        if (status === undefined && wrong === undefined) return void inTurn(request, response);
        request.resume();
        response.statusCode = status ?? 403;
        response.end(`<Error><Code>${wrong ?? "ServiceUnavailable"}</Code></Error>`);
      });
      server.listen(port, "127.0.0.1", () => {
        port = (server.address() as { port: number }).port; // a TCP server has one
        resolve();
      });
    });
  const leave = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await come();
  const endpoint = `http://127.0.0.1:${port}`;
  /** s3rver stores an object as a file of that name, with metadata files next to it. */
  const fileOf = (name: string) => join(folder, bucket, `${name}._S3rver_object`);
  return {
    ...{ endpoint, requests, come, leave },
    environment: {
      ...{ STATELAB_S3_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: account, AWS_SECRET_ACCESS_KEY: account },
      AWS_REGION: "eu-central-1",
    },
    names(prefix) {
      const root = join(folder, bucket);
      return readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith("._S3rver_object"))
        .map((path) => path.replace(/\._S3rver_object$/, ""))
        .filter((name) => name.startsWith(prefix))
        .sort();
    },
    damage(name) {
      if (!existsSync(fileOf(name))) throw new Error(`no object ${name}`);
      const bytes = readFileSync(fileOf(name));
      bytes[bytes.length - 1] ^= 1;
      writeFileSync(fileOf(name), bytes);
    },
    answer(given) {
      status = given;
    },
    async stop() {
      if (server.listening) await leave();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The code of S3's refusal, or undefined for a request that is signed as it should be. */
export function refusal({ method, url = "/", headers }: IncomingMessage): string | undefined {
  const [, key, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (key === undefined) return "AccessDenied";
  if (key !== account) return "InvalidAccessKeyId";
  const [day, region, service, end] = scope.split("/");
  const { pathname, searchParams } = new URL(url, "http://any");
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const signed = names.split(";");
  const canonical = [
    ...[
      method,
      pathname
        .split("/")
        .map((part) => encoded(decodeURIComponent(part)))
        .join("/"),
      query,
    ],
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    ...["", names, headers["x-amz-content-sha256"]],
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const dayKey = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${account}`);
  return hmac(dayKey, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}
