/**
 * The task pages docs/ferry.md, hero.md, rent.md and adopt-a-job.md: their blocks of config are valid, and a lab
 * with them answers each of their comments as the page says. A comment is a block without a language.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Person } from '../../packages/playground/world/seed.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { KINDS } from '../../src/kinds/registry.ts';
import { commentAndReadAnswer, JOB_ID, openIssue, runOf, startJobByHand } from '../support/adopted-job.ts';
import { openHeroIssue, RUN } from '../support/hero-run.ts';
import { approve, finish, propose, readState, until, untilState } from '../support/play.ts';
import { rentalRunName } from '../support/rental.ts';
import { listRepeatedComments, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = readFileSync(join(ROOT, 'fixtures/lab/.github/ferrybot.yml'), 'utf8');
const PAGES = ['ferry', 'hero', 'rent', 'adopt-a-job'] as const;
type Page = (typeof PAGES)[number];

const readPage = (page: Page): string => readFileSync(join(ROOT, `docs/${page}.md`), 'utf8');

/** A config with the page's blocks inserted below their keys. */
function withBlocks(page: Page, config: string): string {
  return [...readPage(page).matchAll(/^```yaml (clusters|lanes)\n(.*?)^```$/gms)].reduce(
    (text, [, key, block = '']) => text.replace(new RegExp(`^${key}:\\n`, 'm'), (line) => line + block),
    config,
  );
}

/** The page's comments, in order. */
function commentsOf(page: Page): readonly string[] {
  return [...readPage(page).matchAll(/^```\n(\/.*?)\n```$/gms)].map(([, comment = '']) => comment);
}

/** A lab with the page's blocks, in which jobs take minutes. */
function openLab(page: Page, change: (config: string) => string = (config) => config): Promise<VirtualLab> {
  return openVirtualLab({ ferry: SHORT_FERRY, config: (config) => change(withBlocks(page, config)) });
}

/** Posts the page's comments one after the other; one with DIGEST becomes the line of the card. */
function speaker(lab: VirtualLab, page: Page) {
  const left = [...commentsOf(page)];
  return {
    /** Posts the next comment, which must begin with `starts`; returns the code of its answer. */
    async next(starts: string, who: Person, thread: number, fill = (comment: string) => comment): Promise<string> {
      const comment = left.shift() ?? '';
      expect(comment).toMatch(new RegExp(`^${starts}\\b`));
      if (!comment.includes('DIGEST')) return await commentAndReadAnswer(lab, who, thread, fill(comment));
      await approve(lab, who, thread);
      return 'approved';
    },
    async end(): Promise<void> {
      expect(left).toEqual([]);
      expect(listRepeatedComments(lab)).toEqual([]);
      await lab.close();
    },
  };
}

describe('the task pages', () => {
  it.each(PAGES)('%s: its blocks are valid in the config of a lab', (page) => {
    expect(readLabConfig(withBlocks(page, EXAMPLE))).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('explain every kind', () => {
    const kinds = PAGES.flatMap((page) => [...readPage(page).matchAll(/^ {4}kind: (\w+)$/gm)].map(([, kind]) => kind));
    expect(['ferry', ...kinds].toSorted()).toEqual(KINDS.map(({ name }) => name).toSorted());
  });

  it('ferry: another knob, what blocks, the approval, the seal', async () => {
    const lab = await openLab('ferry');
    const say = speaker(lab, 'ferry');
    const { run, pull } = await propose(lab);
    expect(await say.next('/propose', 'ada', pull)).toBe('proposed');
    const { run: second, pull: replaced } = await propose(lab, `${run}-2`);
    expect(await say.next('/why', 'ravi', replaced)).toMatch(/^why-/);
    await say.next('/approve-launch', 'mira', replaced);
    await finish(lab, second);
    expect(await say.next('/seal', 'mira', replaced)).toBe('sealed');
    await say.end();
  });

  it('hero: what blocks, the approval, the state, the seal', async () => {
    const lab = await openLab('hero');
    const say = speaker(lab, 'hero');
    const issue = await openHeroIssue(lab);
    await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: 3_600_000 });
    expect(await say.next('/why', 'ravi', issue)).toMatch(/^why-/);
    await say.next('/approve-launch', 'mira', issue);
    await untilState(lab, RUN, (state) => state.submission !== null, { limitMs: 3_600_000 });
    expect(await say.next('/status', 'ravi', issue)).toMatch(/^status-/);
    await finish(lab, RUN);
    expect(await say.next('/seal', 'mira', issue)).toBe('sealed');
    await say.end();
  });

  it('rent: the request, the approval, the state, the destruction', async () => {
    const lab = await openLab('rent');
    const say = speaker(lab, 'rent');
    const issue = await openIssue(lab);
    await say.next('/rent', 'ada', issue);
    const run = rentalRunName(lab, issue);
    await untilState(lab, run, (state) => state.gate?.digest != null, { limitMs: 3_600_000 });
    await say.next('/approve-launch', 'mira', issue);
    await untilState(lab, run, (state) => state.submission !== null, { limitMs: 3_600_000 });
    expect(await say.next('/status', 'ravi', issue)).toMatch(/^status-/);
    expect(await say.next('/teardown', 'mira', issue)).toBe('teardown-asked');
    await say.end();
  });

  it('adopt-a-job: the request, the confirmation, the handoff, the stop', async () => {
    const lab = await openLab('adopt-a-job', (config) =>
      config.replace('\n    adoption: false\n', '\n    adoption: true\n'),
    );
    const say = speaker(lab, 'adopt-a-job');
    startJobByHand(lab);
    const issue = await openIssue(lab);
    const run = runOf(issue);
    const withJob = (comment: string): string => comment.replace('job=JOB', `job=${JOB_ID}`);
    expect(await say.next('/watch', 'mira', issue, withJob)).toBe('adopt-asked');
    await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
    await lab.clock.advance(60_000);
    expect(await say.next('/accept', 'mira', issue)).toBe('job-adopted');
    await say.next('/handoff', 'mira', issue);
    expect(await commentAndReadAnswer(lab, 'ada', issue, '/accept')).toBe('accepted');
    expect(await say.next('/stop', 'ada', issue)).toMatch(/^stop/);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
    await say.end();
  });
});
