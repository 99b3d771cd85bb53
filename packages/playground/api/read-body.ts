/** Reads the JSON body of a request within bounds. */

import { playground } from '../limits/limits.ts';
import type { Json } from '../world/json.ts';

export type Body =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

export const noBody: Body = { ok: true, value: null };

/** A file that is sent as it is. The server has bounded its size. */
export async function readUpload(
  request: Request,
): Promise<{ readonly bytes: Uint8Array; readonly contentType: string }> {
  const contentType = request.headers.get('content-type') ?? 'application/octet-stream';
  return { bytes: new Uint8Array(await request.arrayBuffer()), contentType };
}

/** An absent or empty body is null; text that is no JSON is GitHub's "Problems parsing JSON". */
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

/** Whether more brackets are open at once than recursion can follow; those inside of texts do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > playground.bodyDepth) return true;
  }
  return false;
}

/** JSON.parse gives nothing but JSON; this walk says so to the compiler. */
export function toJson(value: unknown): Json {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
  }
  throw new TypeError(`not JSON: ${typeof value}`);
}
