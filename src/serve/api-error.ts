/** @file API errors in the protocol's form: a status and `{error: {message, type, param, code}}`. */

interface ApiErrorFacts {
  readonly param?: string | null;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A quoted part of a request may have megabytes: shorten it. */
const longestMessage = 2000;

export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, { param = null, code, headers = {} }: ApiErrorFacts = {}) {
    super(message.length > longestMessage ? `${message.slice(0, longestMessage - 3)}...` : message);
    this.status = status;
    this.param = param;
    this.code = code ?? (status === 400 ? "invalid_value" : null);
    this.headers = headers;
  }

  body() {
    const { message, param, code } = this;
    return { error: { message, type: typeOf(this.status), param, code } };
  }
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
