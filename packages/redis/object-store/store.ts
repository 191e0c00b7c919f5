/**
 * @file An S3-compatible object store: keys and bytes, in a bucket below a prefix.
 *
 *     s3://lab/runs                        bucket `lab`; every key here begins with `runs/`
 *     STATELAB_S3_ENDPOINT                 https://minio.lab:9000; by default Amazon's of AWS_REGION
 *     AWS_ACCESS_KEY_ID ...                credentials: never in arguments or manifests
 *
 * Only four basic operations, so that every S3 implementation works: no conditional writes, versions or listing order. aws4fetch signs
 * requests; it is loaded on demand.
 */

import { setTimeout as pause } from "node:timers/promises";
import { fail, LabError } from "../../../src/core/error.ts";
import { sha256 } from "../../../src/storage/index.ts";

export interface ObjectStore {
  readonly address: string;
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** undefined if there is no such key. */
  get(name: string): Promise<Buffer | undefined>;
  /** All keys with this prefix. */
  list(beginning: string): Promise<string[]>;
  /** Removing a missing key succeeds. */
  remove(name: string): Promise<void>;
}

/** A temporary failure: retry. Refusals are other LabErrors, for which a retry is pointless. */
export class StoreSilent extends LabError {}

const endpointVariable = "STATELAB_S3_ENDPOINT";

/** Parses `s3://BUCKET/PREFIX`. @throws LabError for another text. */
export function storeAddress(text: string): string {
  const [, bucket, prefix = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/.exec(text) ?? [];
  const strange = prefix.split("/").some((part) => /^\.+$/.test(part));
  if (bucket === undefined || strange)
    return fail(
      "--object-store",
      "a bucket and a prefix such as s3://BUCKET/PREFIX",
      text.replace(/\/\/[^/]*@/, "//***@"),
      `Its address comes from ${endpointVariable}, the keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    );
  return `s3://${bucket}${prefix}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws LabError if credentials or the package are missing. Sends no request yet. */
export async function openStore(given: string, environment: Environment = process.env): Promise<ObjectStore> {
  const address = storeAddress(given);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const { AWS_SESSION_TOKEN: sessionToken, AWS_REGION, AWS_DEFAULT_REGION } = environment;
  if (!accessKeyId || !secretAccessKey)
    return fail(
      address,
      "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
      accessKeyId ? "the first alone" : "none",
      "Set them where you submit and where workers run",
    );
  const region = AWS_REGION || AWS_DEFAULT_REGION || "us-east-1";
  const endpoint = endpointOf(environment[endpointVariable] || `https://s3.${region}.amazonaws.com`);
  const { AwsClient } = await signing();
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: "s3" },
    ...(sessionToken && { sessionToken }),
  });
  const [, bucket, prefix] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(address)!;
  const root = prefix === "" ? "" : `${prefix}/`;
  const place: Place = { address, endpoint, bucket };

  /** Sends a request, with retries if the server is unreachable or busy. */
  const ask = async (method: string, url: string, body?: Uint8Array): Promise<Answer> => {
    const digest = sha256(body ?? "");
    for (let attempt = 1; ; attempt++) {
      try {
        const signed = await client.sign(url, {
          method,
          headers: { "x-amz-content-sha256": digest },
          ...(body && { body: body as Uint8Array<ArrayBuffer> }), // none here is shared between threads
        });
        const response = await fetch(signed, { signal: AbortSignal.timeout(requestMilliseconds) });
        const bytes = Buffer.from(await response.arrayBuffer());
        if (response.status < 500 && response.status !== 429) return { status: response.status, bytes };
        if (attempt === mostAttempts) return silent(place, `${response.status} ${codeOf(bytes)}`.trim());
      } catch (error) {
        if (error instanceof LabError) throw error;
        if (attempt === mostAttempts) return silent(place, wordsOf(error));
      }
      await pause(againMilliseconds * 2 ** attempt);
    }
  };
  const urlOf = (name: string) => `${endpoint}/${bucket}/${root}${name}`;

  return {
    address,
    async put(name, bytes) {
      const answer = await ask("PUT", urlOf(name), bytes);
      if (answer.status !== 200) refused(place, answer);
    },
    async get(name) {
      const answer = await ask("GET", urlOf(name));
      if (answer.status === 404 && codeOf(answer.bytes) !== "NoSuchBucket") return undefined;
      return answer.status === 200 ? answer.bytes : refused(place, answer);
    },
    async list(beginning) {
      const names: string[] = [];
      for (let from: string | undefined; ; ) {
        const query = new URLSearchParams({ "list-type": "2", prefix: `${root}${beginning}` });
        if (from !== undefined) query.set("continuation-token", from);
        const answer = await ask("GET", `${endpoint}/${bucket}?${query}`);
        if (answer.status !== 200) return refused(place, answer);
        const text = answer.bytes.toString("utf8");
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(plain(key).slice(root.length));
        from = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
        if (from === undefined) return names;
        from = plain(from);
      }
    },
    async remove(name) {
      const answer = await ask("DELETE", urlOf(name));
      if (![200, 204, 404].includes(answer.status)) refused(place, answer);
    },
  };
}

const requestMilliseconds = 60_000;
const mostAttempts = 3;
const againMilliseconds = 50;

/** Loads the package. @throws LabError that says what to install. */
async function signing() {
  try {
    return await import("aws4fetch");
  } catch {
    return fail(
      "--object-store",
      "the package aws4fetch",
      "none",
      "Install it beside statelab: npm install aws4fetch",
    );
  }
}

interface Place {
  readonly address: string;
  readonly endpoint: string;
  readonly bucket: string;
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    return fail(
      endpointVariable,
      "an address such as https://HOST:9000",
      text.replace(/\/\/[^/]*@/, "//***@"),
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function silent({ address, endpoint }: Place, words: string): never {
  throw new StoreSilent(
    `${address}: expected a store that answers at ${endpoint}, got "${words}"`,
    "endpoint",
  );
}

/** S3 error codes: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function refused({ address, endpoint, bucket }: Place, { status, bytes }: Answer): never {
  const code = codeOf(bytes);
  const got = `${status} ${code}`.trim();
  if (code === "NoSuchBucket" || status === 404)
    return fail(address, `the bucket ${bucket} at ${endpoint}`, got, `Make it, or set ${endpointVariable}`);
  if (code === "RequestTimeTooSkewed")
    return fail(address, "a correct clock", got, "Set the time of this machine");
  if (status === 301 || status === 307 || code === "AuthorizationHeaderMalformed")
    return fail(address, `the region of ${bucket}`, got, "Set AWS_REGION");
  if (status === 401 || status === 403)
    return fail(
      address,
      "keys that may read, write, list and remove there",
      got,
      "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION",
    );
  return fail(address, `an answer of S3 from ${endpoint}`, got);
}

const codeOf = (bytes: Buffer) =>
  /<Code>(\w+)<\/Code>/.exec(bytes.subarray(0, 4096).toString("utf8"))?.[1] ?? "";

/** fetch says "fetch failed", with the reason in its cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? error.message); // with several addresses it has only a code
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const plain = (xml: string) => xml.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]);

/** Tests all operations before anything is submitted. @throws LabError for the one that fails. */
export async function tryStore(
  store: ObjectStore,
  onTried: (what: string) => void = () => {},
): Promise<void> {
  const name = `doctor/${process.pid}.${Date.now().toString(36)}`;
  const bytes = Buffer.from("statelab\n");
  await store.put(name, bytes);
  onTried("it takes an object");
  try {
    const got = await store.get(name);
    if (got === undefined || !got.equals(bytes))
      fail(store.address, "the object just written", got === undefined ? "none" : "other bytes");
    onTried("it gives it back");
    const names = await store.list("doctor/");
    if (!names.includes(name)) fail(store.address, `${name} in its list`, names.slice(0, 5));
    onTried("it lists it");
  } finally {
    await store.remove(name);
  }
  onTried("it removes it");
}
