/** What the example workflows cost a lab in hosted minutes, and which comments start a job. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateCondition } from '../../packages/playground/actions/expressions/evaluate.ts';
import { minutesOf, totalOf, withTable } from '../../scripts/minutes/minutes-table.ts';
import { readWorkflow } from './workflow-shape.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the Actions minutes of three lanes and 200 comments a day', () => {
  it('are at most 2,500 a month by workflows alone, and 300 with a server', () => {
    expect(totalOf(minutesOf(false))).toBeGreaterThan(1_000);
    expect(totalOf(minutesOf(false))).toBeLessThanOrEqual(2_500);
    expect(totalOf(minutesOf(true))).toBeGreaterThan(0);
    expect(totalOf(minutesOf(true))).toBeLessThanOrEqual(300);
  });

  it('are in README as scripts/minutes-docs.ts computes them', () => {
    const readme = textOf('README.md');
    expect(withTable(readme)).toBe(readme);
  });
});

describe('a comment', () => {
  const { jobs } = readWorkflow(textOf('fixtures/lab/.github/workflows/ferrybot-chat.yml'));
  const starts = (body: string, type = 'User', server = ''): boolean =>
    evaluateCondition(jobs['chat']?.if ?? null, {
      contexts: {
        github: { event_name: 'issue_comment', event: { action: 'created', comment: { body, user: { type } } } },
        vars: { FERRYBOT_SERVER: server },
      },
      status: 'success',
      hashFiles: null,
    });

  it.each([
    ['is a command', '/status', true],
    ['has a command in a later line', 'Looks good.\n\n/approve-launch 3f9a\n', true],
    ['has a command after a line end of a browser', 'Looks good.\r\n/stop', true],
    ['has a slash inside a line', 'See https://example.org/a and/or b.', false],
    ['has no slash', 'Looks good.', false],
    ['is empty', '', false],
  ])('that %s starts a job: %s → %s', (_, body, expected) => {
    expect(starts(body)).toBe(expected);
  });

  it('of a bot, or with a server, starts no job', () => {
    expect(starts('/status', 'Bot')).toBe(false);
    expect(starts('/status', 'User', 'on')).toBe(false);
  });
});
