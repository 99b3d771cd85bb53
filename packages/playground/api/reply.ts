/** Answers of the API: status, JSON or bytes, headers; and GitHub's error messages. */

import type { Json } from '../world/json.ts';

export type Answer = {
  readonly status: number;
  readonly body: Json | Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** One entry of a 422's `errors`. */
export type FieldError = {
  readonly resource: string;
  readonly field: string;
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  readonly message?: string;
};

const documentation = 'https://docs.github.com/rest';

export function okAnswer(body: Json, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}

export function createdAnswer(body: Json): Answer {
  return { status: 201, body, headers: {} };
}

export function noContentAnswer(): Answer {
  return { status: 204, body: null, headers: {} };
}

/** A file's bytes or a text with its own media type. */
export function rawAnswer(bytes: Uint8Array, mediaType: string): Answer {
  return { status: 200, body: bytes, headers: { 'content-type': mediaType } };
}

export function failedAnswer(status: number, message: string): Answer {
  return { status, body: { message, documentation_url: documentation, status: `${status}` }, headers: {} };
}

export function notFoundAnswer(): Answer {
  return failedAnswer(404, 'Not Found');
}

/** 422 with the invalid fields, as in GitHub's validation errors. */
export function invalidAnswer(errors: readonly FieldError[], message = 'Validation Failed'): Answer {
  return {
    status: 422,
    body: {
      message,
      errors: errors.map((one) => ({ ...one })),
      documentation_url: documentation,
      // GitHub's description omits this field, but its answers have it.
      status: '422',
    },
    headers: {},
  };
}

/** 403 for an exhausted hourly limit. */
export function rateLimitAnswer(who: string): Answer {
  const body = {
    message: `API rate limit exceeded for ${who}.`,
    documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api',
    status: '403',
  };
  return { status: 403, body, headers: {} };
}

/** 403 for a secondary limit: clients recognize the message and the header. */
export function secondaryLimitAnswer(waitMs: number): Answer {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  const about = 'https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api';
  return {
    status: 403,
    body: { message, documentation_url: `${about}#about-secondary-rate-limits` },
    headers: { 'retry-after': `${Math.ceil(waitMs / 1000)}` },
  };
}

/** 422 whose `errors` are sentences, as the review routes answer. */
export function invalidAnswerWithMessages(errors: readonly string[], message = 'Unprocessable Entity'): Answer {
  return {
    status: 422,
    body: { message, errors: [...errors], documentation_url: documentation, status: '422' },
    headers: {},
  };
}

/** 422 with only a message. */
export function unprocessableAnswer(message: string): Answer {
  return failedAnswer(422, message);
}
