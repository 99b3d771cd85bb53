/** Pages of a list with GitHub's `Link` header (docs.github.com/rest: using pagination). */

import { github } from '../limits/limits.ts';
import type { Json } from '../world/json.ts';
import { type Answer, okAnswer } from './reply.ts';
import type { Call } from './route.ts';

export type Page = { readonly page: number; readonly perPage: number };

export function readPage(query: URLSearchParams): Page {
  const perPage = wholeNumber(query.get('per_page'), github.pageSizeDefault);
  return {
    page: Math.max(1, wholeNumber(query.get('page'), 1)),
    perPage: Math.min(github.pageSizeMax, Math.max(1, perPage)),
  };
}

/** Answers one page of `rows`, each formatted by `shape`. */
export async function answerPage<Row>(
  call: Call,
  rows: readonly Row[],
  shape: (row: Row) => Json | Promise<Json>,
): Promise<Answer> {
  return answerPageAs(call, rows, shape, (items) => items);
}

/** The same for lists that are wrapped in an object with `total_count`. */
export async function answerPageIn<Row>(
  call: Call,
  key: string,
  rows: readonly Row[],
  shape: (row: Row) => Json | Promise<Json>,
): Promise<Answer> {
  return answerPageAs(call, rows, shape, (items) => ({ total_count: rows.length, [key]: items }));
}

/** The same for a custom wrapper. */
export async function answerPageAs<Row>(
  call: Call,
  rows: readonly Row[],
  shape: (row: Row) => Json | Promise<Json>,
  wrap: (items: readonly Json[]) => Json,
): Promise<Answer> {
  const { page, perPage } = readPage(call.query);
  const slice = rows.slice((page - 1) * perPage, page * perPage);
  const items = await Promise.all(slice.map((row) => shape(row)));
  const link = linkHeader(call.url, page, Math.max(1, Math.ceil(rows.length / perPage)));
  return okAnswer(wrap(items), link === '' ? {} : { link });
}

function linkHeader(url: URL, page: number, last: number): string {
  const to = (target: number, rel: string): string => {
    const link = new URL(url);
    link.searchParams.set('page', `${target}`);
    return `<${link.href}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page > 1) links.push(to(Math.min(page - 1, last), 'prev'));
  if (page < last) links.push(to(page + 1, 'next'), to(last, 'last'));
  if (page > 1) links.push(to(1, 'first'));
  return links.join(', ');
}

function wholeNumber(text: string | null, fallback: number): number {
  if (text === null || !/^\d{1,9}$/.test(text)) return fallback;
  return Number(text);
}
