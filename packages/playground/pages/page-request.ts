/** One browser request, parsed and limited in size: path, query, cookies, form. */
import type { IncomingMessage } from 'node:http';
import { pageLimits } from './page-limits.ts';

export type PageRequest = {
  readonly method: string;
  readonly path: string;
  /** Decoded parts of the path; a part that cannot be decoded makes the whole path unknown (empty list with one ''). */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly cookies: ReadonlyMap<string, string>;
  /** True for the page's own script, which expects the outcome as JSON, not a redirect. */
  readonly wantsJson: boolean;
  /**
   * A live update of a long thread: the number of earlier comments already on the page, a multiple of a hundred. Null:
   * not a live update.
   */
  readonly knownEarlier: number | null;
};

export function readPageRequest(incoming: IncomingMessage): PageRequest {
  const url = new URL(incoming.url ?? '/', 'http://playground.invalid');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    segments: decodeSegments(url.pathname),
    query: url.searchParams,
    cookies: readCookies(incoming.headers.cookie ?? ''),
    knownEarlier: parseHundreds(incoming.headers['x-playground-earlier']),
    wantsJson: (incoming.headers.accept ?? '').includes('application/json'),
  };
}

function parseHundreds(header: string | readonly string[] | undefined): number | null {
  return typeof header === 'string' && /^(?:0|[1-9]\d{0,5}00)$/.test(header) ? Number(header) : null;
}

/** Returns `too-large` rather than throwing: the person sees a message, and nothing is posted. */
export async function readForm(incoming: IncomingMessage): Promise<URLSearchParams | 'too-large'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= pageLimits.formBytesMax) chunks.push(part);
  }
  if (bytes > pageLimits.formBytesMax) return 'too-large';
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

function decodeSegments(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  try {
    return parts.map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return [''];
    throw error;
  }
}

/** Values by name. */
export function readCookies(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.flatMap(([name, value]) => (name !== undefined && value !== undefined ? [[name, value]] : [])));
}
