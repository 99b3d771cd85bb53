/** Fills a thread of a world with thousands of comments, like those of a bot and people over months. */

import type { World } from '../../world/world.ts';

/** Id of the first created comment. */
export const FIRST_PLANTED = 100_000;

/** Copies the only comment of the only thread until there are `count`; `bodyOf` returns the text of each, by its id. */
export function plantComments(world: World, count: number, bodyOf: (id: number) => string): void {
  const { comments, issues } = world.state;
  const [pattern] = Object.values(comments);
  const [[key, issue] = []] = Object.entries(issues);
  if (pattern === undefined || key === undefined || issue === undefined) throw new Error('nothing to copy');
  const ids = Array.from({ length: count - issue.commentIds.length }, (_, index) => FIRST_PLANTED + index);
  for (const id of ids) comments[id] = { ...pattern, id, body: bodyOf(id) };
  issues[key] = { ...issue, commentIds: [...issue.commentIds, ...ids] };
}
