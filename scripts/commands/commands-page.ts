/** docs/commands.md as text: every command with its arguments, who may give it and where it works. */

import type { CommandDefinition } from '../../src/commands/decision.ts';
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
  const sections = COMMAND_DEFINITIONS.map((definition) => renderSection(definition, defaults));
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `# Commands

<!-- Made by scripts/commands-docs.ts from src/commands; a test holds it against them. -->

Write a command at the start of its own line: in a comment, a review or a review comment on a ferry's pull request, or in a comment on an issue with the label \`experiment\`. Holds of a lane, and \`/stop\` and \`/hold\` with \`run=\`, work in every thread. A command must be plain text: commands in quotes, lists, code, links, headings, tables, struck text and HTML are ignored. Write arguments as \`key=value\` or \`key="a value with spaces"\` (\`\\"\` and \`\\\\\` inside quotes). A line has one command, and a comment at most ten. Commands in edited comments are ignored. \`npx ferrybot read-comment < comment.md\` shows which commands would run, and why other slash words would not.

Permissions are the defaults; \`permissions\` and \`approvals\` in \`.github/ferrybot.yml\` change them (docs/configuration.md).`;

function renderSection(definition: CommandDefinition, config: Permissions): string {
  const who = definition.permission(config);
  const lines = [
    `- Example: \`${definition.example}\``,
    ...argumentLines(definition),
    `- Who may: ${who === null ? 'everybody' : `${who} permission or more`}`,
    `- Where: ${describePlace(definition)}`,
  ];
  return `## /${definition.name}\n\n${definition.summary}\n\n${lines.join('\n')}`;
}

function describePlace({ decideWithoutRun, decideNamed, isBrake }: CommandDefinition): string {
  if (decideNamed !== undefined)
    return 'in the threads of a run; with `run=` in every issue and pull request, also if the threads of the run are gone';
  if (decideWithoutRun === undefined) return 'in the threads of a run';
  return isBrake === true
    ? 'in every issue and pull request'
    : 'in the threads of a run, in any `experiment` issue, and in threads with a hold of a lane';
}

function argumentLines({ positional, keys, freeKeys }: CommandDefinition): readonly string[] {
  const named = Object.entries(keys).map(([key, spec]) => `\`${key}=\` (${describeNeed(spec)})`);
  const first = positional === undefined ? [] : [`${positional.name} (${describeNeed(positional)}, without a key)`];
  const free = freeKeys === undefined ? [] : ['any knob as `path=value`'];
  const all = [...first, ...named, ...free];
  return all.length === 0 ? [] : [`- Arguments: ${all.join(', ')}`];
}

function describeNeed(spec: ArgumentSpec): string {
  return spec.required ? 'required' : 'optional';
}
