/** docs/commands.md matches the definitions of the commands. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage } from '../../scripts/commands/commands-page.ts';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';

// rule AG-28
it('docs/commands.md is current: node scripts/commands-docs.ts', () => {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  expect(page).toBe(commandsPage());
});

it('gives each command a name of its own', () => {
  const names = COMMAND_DEFINITIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it.each(COMMAND_DEFINITIONS)('the example of /$name is parsed as that command', ({ name, example }) => {
  const reading = readComment(example, COMMAND_DEFINITIONS, { otherBots: [] });
  expect(reading.commands.map((command) => command.name)).toEqual([name]);
});
