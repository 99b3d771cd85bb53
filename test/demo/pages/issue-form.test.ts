/**
 * A repository's issue form on the page: filled in, opened with the text GitHub would write, and used by the
 * guided tour.
 */

import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { heroTry } from '../../../demo/hero/story.ts';
import { listen } from '../../../packages/playground/http/server.ts';
import { fillIssueForm, parseIssueForm } from '../../../packages/playground/pages/forms/issue-form.ts';
import { pagesOptionsFromWorld } from '../../../packages/playground/pages/from-world.ts';
import { createPages } from '../../../packages/playground/pages/pages.ts';
import { HERO_LANE } from '../../support/hero-run.ts';
import { listOpenGates } from '../../support/own-pull.ts';
import { readState, until } from '../../support/play.ts';
import { pushFile } from '../../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../../support/virtual-lab.ts';

const FORM = new URL('../../../fixtures/lab/.github/ISSUE_TEMPLATE/hero-run.yml', import.meta.url);

type Site = {
  /** Requests a page of the repository, signed in as the user who started the playground. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  readonly lab: VirtualLab;
};

async function openSite(): Promise<Site> {
  const listening = await listen(0);
  if (!listening.ok) throw new Error(`no port: ${listening.reason}`);
  const lab = await openVirtualLab({ origin: listening.origin, config: (text) => `${text.trimEnd()}\n${HERO_LANE}` });
  const pages = createPages({ ...pagesOptionsFromWorld(lab.world, 'lab/ferries'), tries: [heroTry('/tmp/outputs')] });
  listening.serve({
    world: lab.world,
    clock: null,
    pages,
    onBug: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    await lab.close();
    await listening.close();
  });
  const ask: Site['ask'] = (path, init = {}) => {
    const headers = { authorization: `Bearer ${listening.secret}`, ...init.headers };
    return fetch(new URL(path, `${listening.origin}/lab/ferries/`), { ...init, headers });
  };
  return { ask, lab };
}

async function open(
  ask: Site['ask'],
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly to: string; readonly message: string }> {
  const response = await ask('issues', {
    method: 'POST',
    headers: { cookie: 'playground_speaker=ada', accept: 'application/json', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, to: '', message: '', ...((await response.json()) as object) };
}

it('an issue form is prefilled by the guided tour, and the opened issue passes every gate', async () => {
  const { ask, lab } = await openSite();
  await pushFile(lab, 'ada', 'main', '.github/ISSUE_TEMPLATE/hero-run.yml', await readFile(FORM, 'utf8'));
  await pushFile(lab, 'ada', 'main', 'experiments/hero.py', 'print()\n');
  const list = await (await ask('issues')).text();
  expect(list).toContain('Try: a hero run, from its contract to its seal');
  expect(list).toContain('/rollback step=600');
  const link = /href="([^"]*issues\/new[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const page = await (await ask(link)).text();
  // Every field as a browser would send it.
  const fields = Object.fromEntries(
    [...page.matchAll(/<input (?:type="hidden" )?name="([^"]+)"[^>]*? value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  for (const [, name = '', value = ''] of page.matchAll(/<textarea name="([^"]+)"[^>]*>([^<]*)</g))
    fields[name] = value.replaceAll('&quot;', '"').replaceAll('&gt;', '>');
  fields['field:resume'] = /<option selected>(\w+)</.exec(page)?.[1] ?? '';
  expect(fields).toMatchObject({ template: 'hero-run.yml', 'field:slug': 'small-hero' });
  expect(fields['field:commit']).toMatch(/^[0-9a-f]{40}$/);
  const missing = await open(ask, { ...fields, 'field:goal': ' ' });
  expect(missing).toMatchObject({ status: 422, message: 'Goal is required.' });
  const opened = await open(ask, fields);
  expect(opened).toMatchObject({ status: 200 });
  await until(lab, 'the gates', async () => (await readState(lab, 'small-hero'))?.gate?.digest != null);
  const state = await readState(lab, 'small-hero');
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  const thread = await (await ask(opened.to)).text();
  expect(thread).toContain('Step by step: a hero run');
  expect(thread).toContain('data-insert="/seal"');
});

it("the opened issue has GitHub's text: a heading for each field, and a fence for code", async () => {
  const form = parseIssueForm(`
name: A form
description: For a test.
labels: [one]
body:
  - { type: textarea, id: command, attributes: { label: Command, render: shell } }
  - { type: dropdown, id: choice, attributes: { label: Choice, options: [a, b] } }
  - { type: input, id: free, attributes: { label: Free } }
`);
  if (form === null) throw new Error('no form');
  const filled = (answers: Readonly<Record<string, string>>) => fillIssueForm(form, (id) => answers[id] ?? '');
  expect(filled({ command: 'ls\n', choice: 'b' })).toEqual({
    ok: true,
    body: '### Command\n\n```shell\nls\n```\n\n### Choice\n\nb\n\n### Free\n\n_No response_',
  });
  expect(filled({ choice: 'c' })).toEqual({ ok: false, message: 'Choice is one of a, b.' });
  for (const text of ['a: [', 'name: only', '- 1']) expect(parseIssueForm(text)).toBeNull();
});

it('an issue form that the repository lacks is not found, for every requested name', async () => {
  const { ask, lab } = await openSite();
  // A form in another folder does not count.
  await pushFile(lab, 'ada', 'main', '.github/hero-run.yml', await readFile(FORM, 'utf8'));
  for (const template of ['', 'none.yml', '../hero-run.yml', '..%2Fhero-run.yml'])
    expect((await ask(`issues/new?template=${template}`)).status).toBe(404);
  expect(await open(ask, { template: 'none.yml', title: 'x' })).toMatchObject({ status: 422 });
});
