/** Nodes that Slurm itself has taken out, named to whoever waits for them; nothing is done about them. */

import { cutText } from '../../domain/cut-text.ts';
import { askCommand } from './commands.ts';
import type { SlurmSettings } from './settings.ts';

const CHARACTERS_MAX = 300;

/** A sentence with each drained or failed node and its reason, or nothing. */
export async function unusableNodes(settings: SlurmSettings): Promise<string> {
  const { partition } = settings.cluster;
  const said = await askCommand(settings, 'sinfo', [
    '--noheader',
    '--Node',
    '--states=drain,down,fail',
    '--format=%N|%T|%E',
    ...(partition === null ? [] : [`--partition=${partition}`]),
  ]);
  if (said.kind === 'unknown') return '';
  const nodes = said.text.split('\n').flatMap((line) => {
    const [node = '', state = '', ...reason] = line.split('|');
    return node === '' ? [] : [`${node} is ${state} (${reason.join('|')})`];
  });
  return nodes.length === 0 ? '' : ` ${cutText([...new Set(nodes)].join(', '), CHARACTERS_MAX)}.`;
}
