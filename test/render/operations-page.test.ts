/** docs/operations.md matches the bot's comments, and names only commands and targets that exist. */

import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operationsPage } from '../../scripts/operations/operations-page.ts';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import { INCIDENT_CODES } from '../../src/domain/incidents.ts';
import { REFUSALS } from '../../src/domain/launch/verdict.ts';
import { INCIDENT_WORDS } from '../../src/render/incident-words.ts';
import { callVerb } from '../app/cli/call-verb.ts';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

it('docs/operations.md is current: node scripts/operations-docs.ts', async () => {
  expect(PAGE).toBe(await operationsPage());
});

it.each(INCIDENT_CODES)('has a section for incident %s under the first line of its comment', (code) => {
  const { title, todo } = INCIDENT_WORDS[code];
  expect(PAGE).toContain(`\n### ${title}\n\n\`${code}\` · `);
  expect(PAGE).toContain(todo);
});

it.each([...REFUSALS, ...SIGNATURES.map(({ signature }) => signature)])('has a row with %s', (id) => {
  expect(PAGE.split('\n').filter((line) => line.startsWith('| ') && line.includes(`\`${id}\``))).toHaveLength(1);
});

it('names only existing commands and verbs, and each command can be parsed as written', async () => {
  const spoken = [...PAGE.matchAll(/`(\/[a-z-]+[^`]*)`/g)].map((match) => match[1] ?? '');
  expect(spoken.length).toBeGreaterThan(10);
  for (const said of spoken.filter((one) => !/^\/(?:api|etc)\/|^\/(?:health|metrics)$/.test(one))) {
    const [word] = said.slice(1).split(' ');
    expect(
      COMMAND_DEFINITIONS.map(({ name }) => name),
      said,
    ).toContain(word);
    if (said.includes('='))
      expect(readComment(said, COMMAND_DEFINITIONS, { otherBots: [] }).commands, said).toHaveLength(1);
  }
  const { verbs } = JSON.parse((await callVerb('--help', '/', ['--json'])).out);
  for (const [, verb = ''] of PAGE.matchAll(/`(?:npx )?ferrybot ((?:logbook )?[a-z-]+)/g))
    expect(verbs).toContain(verb);
});

it('has only links with existing targets', () => {
  const anchors = new Set([...PAGE.matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => anchorOf(title)));
  for (const [, target = ''] of PAGE.matchAll(/\]\(([^)]+)\)/g))
    if (target.startsWith('#')) expect(anchors, target).toContain(target.slice(1));
    else expect(existsSync(new URL(`../../docs/${target}`, import.meta.url)), target).toBe(true);
});

/** As GitHub does: lower case, spaces to hyphens, other characters removed. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
