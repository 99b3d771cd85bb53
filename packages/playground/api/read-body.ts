/** Reads the JSON body of a request, with size and depth limits. */

import { playground } from '../limits/limits.ts';
import type { Json } from '../world/json.ts';

export type Body = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

export const noBody: Body = { ok: true, value: null };

/** Reads an uploaded file as raw bytes. The server has already limited its size. */
export async function readUpload(
  request: Request,
): Promise<{ readonly bytes: Uint8Array; readonly contentType: string }> {
  const contentType = request.headers.get('content-type') ?? 'application/octet-stream';
  return { bytes: new Uint8Array(await request.arrayBuffer()), contentType };
}

/** An absent or empty body is null; invalid JSON gets GitHub's "Problems parsing JSON". */
export async function readJsonBody(request: Request): Promise<Body> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.body === null) {
    return { ok: true, value: null };
  }
  const declared = Number(request.headers.get('content-length') ?? '0');
  if (declared > playground.requestBytes) return { ok: false, message: 'Request body is too large' };
  const text = await request.text();
  if (text.length > playground.requestBytes) return { ok: false, message: 'Request body is too large' };
  return text.trim() === '' ? { ok: true, value: null } : parseJson(text);
}

export function parseJson(text: string): Body {
  try {
    if (isTooDeep(text)) return { ok: false, message: 'Problems parsing JSON' };
    return { ok: true, value: toJson(JSON.parse(text)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: 'Problems parsing JSON' };
    throw error;
  }
}

/** Whether the brackets nest deeper than recursion can follow; brackets inside strings do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > playground.bodyDepth) return true;
  }
  return false;
}

/** Types the result of JSON.parse as JSON, by a walk through the value. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
  }
  throw new TypeError(`not JSON: ${typeof value}`);
}
