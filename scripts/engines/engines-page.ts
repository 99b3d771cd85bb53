/** docs/engines.md: what every engine does by the contract that each of them keeps, and what sets one apart. */

import { stringify } from 'yaml';
import type { EngineTraits } from '../../src/engines/definition.ts';
import { clusterSchema, engineDefinition } from '../../src/engines/registry.ts';
import type { EngineAbilities } from './abilities.ts';
import { ABILITIES } from './abilities.ts';
import { CLAIMS } from './claims.ts';
import { EXAMPLES } from './examples.ts';
import { PLAYED } from './played.ts';

type Cell = (name: string) => string;

const COLUMNS = Object.keys(ABILITIES);

/** The page; `contract` are the titles of the contract's tests. */
export function enginesPage(contract: readonly string[]): string {
  return `# Engines

All engines have one interface (\`src/domain/engine.ts\`): submit once, observe, read the log, stop. Each engine is a folder of \`src/engines\` and one line of its registry. \`node scripts/engines-docs.ts\` writes this page; tests check each line.

## What every engine does

One contract (\`test/support/engine-contract.ts\`) is played on every engine:

${contract.map((title) => `- ${title.replace(': %s', '')}`).join('\n')}

${renderTable('played on', listRows())}

## Differences

${COLUMNS.map(renderSection).join('\n\n')}
`;
}

function listRows(): readonly (readonly [string, Cell])[] {
  return [
    ['the contract is played on', (name) => (PLAYED[name] ?? []).map(({ on }) => on).join('; ')],
    ['observes many jobs with one call', abilityCell('looksAtMany')],
    ['lists other jobs that name a run', abilityCell('listsJobs')],
    ['a new session forgets the jobs of the last one', abilityCell('forgetsWithSession')],
    ['lists files that would be left out, before the claim', abilityCell('tellsWhatStaysBehind')],
    ['clears the folders of jobs that ended long ago', abilityCell('clearsOldTrees')],
    ['describes who launched a job and its command', abilityCell('describesJobs')],
    ['a value with `$NAME` in it', abilityCell('dollarInValue')],
    ['a secret in a variable', abilityCell('secretVariable')],
    ['a GitHub token in a variable', abilityCell('githubToken')],
    ['jobs run on the runner’s machine', traitCell(({ jobsRunHere }) => jobsRunHere)],
    ['needs a key', traitCell(({ secretVariables }) => secretVariables.length > 0)],
    ['maintenance of its machines (disk, bad nodes)', traitCell(({ machines }) => machines !== null)],
  ];
}

function abilityCell(ability: keyof EngineAbilities): Cell {
  const abilities: Readonly<Record<string, EngineAbilities>> = ABILITIES;
  return (name) => formatCell(abilities[name]?.[ability] ?? false);
}

function traitCell(of: (traits: EngineTraits) => boolean): Cell {
  return (name) => {
    const cluster = clusterSchema.parse(EXAMPLES[name]);
    return formatCell(of(engineDefinition(cluster).traits(cluster)));
  };
}

function formatCell(value: boolean | string): string {
  if (typeof value === 'string') return value;
  return value ? 'yes' : '–';
}

function renderTable(corner: string, lines: readonly (readonly [string, Cell])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [[, played], ...others] = lines as [readonly [string, Cell], ...(readonly [string, Cell])[]];
  return [
    line(['', ...COLUMNS.map((name) => `\`${name}\``)]),
    line(['---', ...COLUMNS.map(() => '---')]),
    line([corner, ...COLUMNS.map(played)]),
    ...others.map(([fact, cell]) => line([fact, ...COLUMNS.map(cell)])),
  ].join('\n');
}

function renderSection(name: string): string {
  const claims = (CLAIMS[name] ?? []).map(({ says, file }) => `- ${says} (\`${file}\`)`);
  return `### \`${name}\`

A minimal cluster in \`clusters\` ([all settings](configuration.md)):

\`\`\`yaml
${stringify({ [name === 'local' ? 'here' : 'lab']: EXAMPLES[name] }).trimEnd()}
\`\`\`

${claims.join('\n')}`;
}
