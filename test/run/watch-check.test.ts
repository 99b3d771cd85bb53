/** The check run at the end of a job: the watch says it only where its own App made it, as it made the card. */

import { expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decidePublication } from '../../src/run/decide-publications.ts';
import { publicationsOf } from '../../src/run/publications.ts';
import { bob } from '../support/run-drafts.ts';
import { aComment, NOON, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, memory, REPOSITORY, told } from './parts.ts';

const { state } = gatedOn().approved(bob).ordered().submitted().observed().ended();
const bot = { id: 1, login: 'ferrybot[bot]' } satisfies Actor;

it.each([
  { byOwnApp: true, next: 'put-check-run check' },
  { byOwnApp: false, next: 'edit-comment card' },
])('its own card: $byOwnApp', ({ byOwnApp, next }) => {
  const card = aComment(
    bot,
    `<!-- ferrybot:v1 run=${state.run} kind=card key=card phase=stepping check=x -->`,
    {
      byUs: true,
      byOwnApp,
    },
  );
  const said = publicationsOf(state).map(({ kind, key }) => `publish:${kind}:${key}`);
  const step = decidePublication({
    state,
    facts: someFacts({ pull: unknown('not read by the watch'), comments: known([card]) }),
    config: CONFIG,
    repository: REPOSITORY,
    now: NOON,
    memory: memory({
      appended: new Set([state.head.seq]),
      outcomes: new Map(said.map((key) => [key, { kind: 'done', number: 1 }])),
    }),
    verdict: null,
    activeRuns: 1,
    annotations: [],
  });
  expect(told(step)).toBe(next);
});
