/** docs/operations.md and docs/server.md match the bot's comments and settings, and name only commands and targets that exist. */

import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operationsPage } from '../../scripts/operations/operations-page.ts';
import { serverPage } from '../../scripts/operations/server-page.ts';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import { INCIDENT_CODES } from '../../src/domain/incidents.ts';
import { INCIDENT_WORDS } from '../../src/render/incident-words.ts';
import { callVerb } from '../app/cli/call-verb.ts';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

const SERVER = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8');

it('the pages are current: node scripts/operations-docs.ts', async () => {
  expect(PAGE).toBe(operationsPage());
  expect(SERVER).toBe(await serverPage());
});

it.each(INCIDENT_CODES)('has one row for incident %s with the first line of its comment', (code) => {
  const rows = PAGE.split('\n').filter((line) => line.startsWith(`| **${INCIDENT_WORDS[code].title}** \`${code}\` | `));
  expect(rows).toHaveLength(1);
});

it.each(SIGNATURES.map(({ signature }) => signature))('explains %s in one row', (id) => {
  expect(PAGE.split('\n').filter((line) => /^\| `|^- /.test(line) && line.includes(`\`${id}\``))).toHaveLength(1);
});

it('names only existing commands and verbs, and each command can be parsed as written', async () => {
  const spoken = [...PAGE.matchAll(/`(\/[a-z-]+[^`]*)`/g)].map((match) => match[1] ?? '');
  expect(spoken.length).toBeGreaterThan(10);
  for (const said of spoken.filter((one) => one !== '/api/version')) {
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
