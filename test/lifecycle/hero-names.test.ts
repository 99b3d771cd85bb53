/** Run names chosen so that no later run could be named. */

import { expect, it } from 'vitest';
import { findShownApprovalLine } from '../support/approve.ts';
import { openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import { readState, until } from '../support/play.ts';

const MINUTE = 60_000;

// threat T113
it('a run with a name of maximum length gets a successor with a shortened name', async () => {
  const lab = await openHeroLab();
  const slug = 'a'.repeat(63);
  const issue = await openHeroIssue(lab, { answers: { 'Run slug': slug, 'W&B run id': slug } });
  await until(lab, 'the card', () => findShownApprovalLine(lab, slug) !== null, { limitMs: 60 * MINUTE });
  await lab.as('ada', 'DELETE', `/issues/${issue}/labels/hero-run`);
  await lab.clock.advance(5 * MINUTE);
  expect((await readState(lab, slug))?.closed).not.toBeNull();
  await lab.as('mira', 'POST', `/issues/${issue}/labels`, { labels: ['hero-run'] });
  const next = `${'a'.repeat(61)}-2`;
  await until(lab, 'the next card', () => findShownApprovalLine(lab, next) !== null, { limitMs: 60 * MINUTE });
  await lab.close();
});
