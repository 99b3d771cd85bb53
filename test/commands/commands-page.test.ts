/** docs/commands.md matches the definitions of the commands. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage } from '../../scripts/commands/commands-page.ts';
import { COMMON_ANSWERS } from '../../src/commands/decision.ts';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';

// rule AG-28
it('docs/commands.md is current: node scripts/commands-docs.ts', () => {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  expect(page).toBe(commandsPage());
});

it('no name and no answer belongs to two commands', () => {
  const tables = new Set([COMMON_ANSWERS, ...COMMAND_DEFINITIONS.map(({ answers }) => answers)]);
  for (const names of [COMMAND_DEFINITIONS.map(({ name }) => name), [...tables].flatMap(Object.keys)])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it.each(COMMAND_DEFINITIONS)('the example of /$name is parsed as that command', ({ name, example }) => {
  const reading = readComment(example, COMMAND_DEFINITIONS, { otherBots: [] });
  expect(reading.commands.map((command) => command.name)).toEqual([name]);
});
