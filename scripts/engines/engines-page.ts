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

What runs a job stands behind one interface (\`src/domain/engine.ts\`): submit once, observe, read the log, stop. Each engine is a folder of \`src/engines\` and one line of its registry. This page is written by \`node scripts/engines-docs.ts\` from the tests that hold an engine to what it says here.

## What every engine does

One contract (\`test/support/engine-contract.ts\`) is played on each of them:

${contract.map((title) => `- ${title.replace(': %s', '')}`).join('\n')}

${table('played on', rows())}

## What sets them apart

${COLUMNS.map(section).join('\n\n')}
`;
}

function rows(): readonly (readonly [string, Cell])[] {
  return [
    ['the contract is played on', (name) => (PLAYED[name] ?? []).map(({ on }) => on).join('; ')],
    ['one look at many jobs', able('looksAtMany')],
    ['lists what else runs there and names a run', able('listsJobs')],
    ['a new session has forgotten the jobs of the last one', able('forgetsWithSession')],
    ['tells before the claim which files would stay behind', able('tellsWhatStaysBehind')],
    ['clears the folders of jobs that ended long ago', able('clearsOldTrees')],
    ['tells who launched a job and what it runs', able('describesJobs')],
    ['a value with `$NAME` in it', able('dollarInValue')],
    ['a secret in a variable', able('secretVariable')],
    ['a token of GitHub in a variable', able('githubToken')],
    ['jobs are processes of the runner’s machine', trait(({ jobsRunHere }) => jobsRunHere)],
    ['a key opens the cluster', trait(({ secretVariables }) => secretVariables.length > 0)],
    ['its machines can be cared for (disk, bad nodes)', trait(({ machines }) => machines !== null)],
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

The least that a cluster of it says, in \`clusters\` ([all settings](configuration.md)):

\`\`\`yaml
${stringify({ [name === 'local' ? 'here' : 'lab']: EXAMPLES[name] }).trimEnd()}
\`\`\`

${claims.join('\n')}`;
}
