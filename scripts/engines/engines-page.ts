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

${table('played on', rows())}

## Differences

${COLUMNS.map(section).join('\n\n')}
`;
}

function rows(): readonly (readonly [string, Cell])[] {
  return [
    ['the contract is played on', (name) => (PLAYED[name] ?? []).map(({ on }) => on).join('; ')],
    ['observes many jobs with one call', able('looksAtMany')],
    ['lists other jobs that name a run', able('listsJobs')],
    ['a new session forgets the jobs of the last one', able('forgetsWithSession')],
    ['lists files that would be left out, before the claim', able('tellsWhatStaysBehind')],
    ['clears the folders of jobs that ended long ago', able('clearsOldTrees')],
    ['describes who launched a job and its command', able('describesJobs')],
    ['a value with `$NAME` in it', able('dollarInValue')],
    ['a secret in a variable', able('secretVariable')],
    ['a GitHub token in a variable', able('githubToken')],
    ['jobs run on the runner’s machine', trait(({ jobsRunHere }) => jobsRunHere)],
    ['needs a key', trait(({ secretVariables }) => secretVariables.length > 0)],
    ['maintenance of its machines (disk, bad nodes)', trait(({ machines }) => machines !== null)],
  ];
}

function able(ability: keyof EngineAbilities): Cell {
  const abilities: Readonly<Record<string, EngineAbilities>> = ABILITIES;
  return (name) => said(abilities[name]?.[ability] ?? false);
}

function trait(of: (traits: EngineTraits) => boolean): Cell {
  return (name) => {
    const cluster = clusterSchema.parse(EXAMPLES[name]);
    return said(of(engineDefinition(cluster).traits(cluster)));
  };
}

function said(value: boolean | string): string {
  if (typeof value === 'string') return value;
  return value ? 'yes' : '–';
}

function table(corner: string, lines: readonly (readonly [string, Cell])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [[, played], ...others] = lines as [readonly [string, Cell], ...(readonly [string, Cell])[]];
  return [
    line(['', ...COLUMNS.map((name) => `\`${name}\``)]),
    line(['---', ...COLUMNS.map(() => '---')]),
    line([corner, ...COLUMNS.map(played)]),
    ...others.map(([fact, cell]) => line([fact, ...COLUMNS.map(cell)])),
  ].join('\n');
}

function section(name: string): string {
  const claims = (CLAIMS[name] ?? []).map(({ says, file, title }) => `- ${says} (\`${file}\`: ${title})`);
  return `### \`${name}\`

A minimal cluster in \`clusters\` ([all settings](configuration.md)):

\`\`\`yaml
${stringify({ [name === 'local' ? 'here' : 'lab']: EXAMPLES[name] }).trimEnd()}
\`\`\`

${claims.join('\n')}`;
}
