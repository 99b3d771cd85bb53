/** Judges one answer of the playground's REST API by GitHub's description. */

import type { AnswerMade } from '../../../world/channels.ts';
import { type Judge, openJudge, type Verdict } from './judge.ts';

let judge: Judge | null = null;
let templates: readonly { readonly key: string; readonly pattern: RegExp; readonly rank: number }[] = [];

/** Refusals that GitHub's description omits on most routes; they have the usual form. */
const refusal = { $ref: '#/components/schemas/basic-error' };
const invalid = { $ref: '#/components/schemas/validation-error' };
/** The error for a route that the playground does not serve. */
const notServed = 501;

/** Route and field of a difference to GitHub's description, or null. */
export function judgeAnswer({ method, path, status, text }: AnswerMade): Verdict {
  judge ??= openJudge('rest', 'operations');
  if (status === notServed) return null;
  const key = operationOf(judge, method === 'HEAD' ? 'GET' : method, path);
  if (key === null)
    return status === 401 || status === 403 || status === 404
      ? checkRefusal(judge, status, text)
      : `${method} ${path} is no operation of GitHub`;
  const responses = Object(judge.table[key]);
  const documented = responses[`${status}`];
  if (documented === undefined && status < 400) return `${key} ${status}: GitHub does not answer with this status`;
  const found = schemaOf(documented);
  if (found === null && status >= 400) return withRoute(`${key} ${status}`, checkRefusal(judge, status, text));
  if (text === null || text === '') return null;
  if (found === null) return `${key} ${status}: GitHub answers without a body`;
  return withRoute(`${key} ${status}`, judge.check(`${key} ${status}`, found, bodyOf(status, text)));
}

/** The template that matches the path, literal segments first; the fixture has GitHub's paths, not our router's. */
function operationOf(by: Judge, method: string, path: string): string | null {
  if (templates.length === 0)
    templates = Object.keys(by.table)
      .map(templateOf)
      .toSorted((a, b) => a.rank - b.rank);
  const wanted = `${method} ${path.replace(/\/contents$/, '/contents/')}`;
  return templates.find(({ pattern }) => pattern.test(wanted))?.key ?? null;
}

function templateOf(key: string): (typeof templates)[number] {
  const rest = /\{(path|ref|basehead)\}$/.test(key);
  const source = key
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(path|ref|basehead)\}$/, '.*')
    .replaceAll(/\{[^}]*\}/g, '[^/]+');
  return { key, pattern: new RegExp(`^${source}$`), rank: (key.match(/\{/g) ?? []).length + (rest ? 100 : 0) };
}

function schemaOf(documented: unknown): unknown {
  const media = Object(documented);
  return media['application/json'] ?? media['application/vnd.github.object'] ?? null;
}

function checkRefusal(by: Judge, status: number, text: string | null): Verdict {
  if (text === null) return 'a refusal without a message';
  return status === 422
    ? by.check('invalid', invalid, bodyOf(status, text))
    : by.check('refusal', refusal, JSON.parse(text));
}

/** The body of a refusal always has its status on GitHub; only the description of validation errors omits it. */
function bodyOf(status: number, text: string): unknown {
  const body: unknown = JSON.parse(text);
  if (status !== 422 || !(body instanceof Object) || !('status' in body) || body.status !== '422') return body;
  const { status: _told, ...described } = body;
  return described;
}

function withRoute(route: string, verdict: Verdict): Verdict {
  return verdict === null ? null : `${route}: ${verdict}`;
}
