/** docs/commands.md as text: every command with its arguments, who may give it and where it works. */

import { type CommandDefinition, policyOf } from '../../src/commands/decision.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import type { ArgumentSpec } from '../../src/commands/values.ts';
import { approvalsSchema, onCallSchema, permissionsSchema } from '../../src/config/approvals-schema.ts';
import type { LabConfig } from '../../src/run/lane.ts';

type Permissions = Pick<LabConfig, 'approvals' | 'permissions' | 'onCall'>;

/** The page, with the permissions of a lab that configures none. */
export function commandsPage(): string {
  const defaults = {
    approvals: approvalsSchema.parse(undefined),
    permissions: permissionsSchema.parse(undefined),
    onCall: onCallSchema.parse(undefined),
  };
  const sections = COMMAND_DEFINITIONS.map((definition) => section(definition, defaults));
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `# Commands

<!-- Made by scripts/commands-docs.ts from src/commands; a test holds it against them. -->

A command stands alone at the start of a line, in a comment, a review or a review comment on a ferry's pull request, or in a comment on an issue that is labelled \`experiment\`; what holds a lane back counts wherever it is said, and so do \`/stop\` and \`/hold\` that name their run with \`run=\`. It counts only where a reader sees it as plain text: not in quotes, lists, code, links, headings, tables or struck text, and not in or below HTML. Arguments are written \`key=value\`, or \`key="a value with spaces"\` (\`\\"\` and \`\\\\\` inside quotes). One command a line, ten a comment. An edited comment gives no commands. \`npx ferrybot read-comment < comment.md\` says what would be read, and why a slash word does not fire.

Permissions are the defaults; \`permissions\` and \`approvals\` in \`.github/ferrybot.yml\` change them (docs/configuration.md).`;

function section(definition: CommandDefinition, config: Permissions): string {
  const who = definition.who(policyOf(config));
  const lines = [
    `- Example: \`${definition.example}\``,
    ...argumentLines(definition),
    `- Who may: ${who === null ? 'everybody' : `${who} permission or more`}`,
    `- Where: ${placeOf(definition)}`,
  ];
  return `## /${definition.name}\n\n${definition.summary}\n\n${lines.join('\n')}`;
}

function placeOf({ decideWithoutRun, decideNamed, holdsBack }: CommandDefinition): string {
  if (decideNamed !== undefined)
    return 'on the threads of a run; with `run=` on every issue and pull request, also when those of the run were moved away or deleted';
  if (decideWithoutRun === undefined) return 'on the threads of a run';
  return holdsBack === true
    ? 'on every issue and pull request'
    : 'on the threads of a run, on any `experiment` issue, and where a lane was held back';
}

function argumentLines({ positional, keys, freeKeys }: CommandDefinition): readonly string[] {
  const named = Object.entries(keys).map(([key, spec]) => `\`${key}=\` (${need(spec)})`);
  const first = positional === undefined ? [] : [`${positional.name} (${need(positional)}, without a key)`];
  const free = freeKeys === undefined ? [] : ['any knob as `path=value`'];
  const all = [...first, ...named, ...free];
  return all.length === 0 ? [] : [`- Arguments: ${all.join(', ')}`];
}

function need(spec: ArgumentSpec): string {
  return spec.required ? 'required' : 'optional';
}
