/** @file SHA-256 of whatever is at hand whole, in hexadecimal. */

import { createHash } from "node:crypto";

export const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
