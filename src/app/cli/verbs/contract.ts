/** `ferrybot contract < issue.md`: what an issue says as the contract of a run, and what it leaves open. */

import { namesOf } from '../../../contracts/fields.ts';
import { openParts } from '../../../contracts/open-parts.ts';
import { KINDS } from '../../../kinds/registry.ts';
import { readInput } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

type Options = { readonly title: string; readonly author: string; readonly kind?: string };

/** A lane with nothing of its own: its defaults are enough to read an issue. */
const BARE_LANE = { cluster: 'none', ships: ['.'], tracker: { kind: 'none', entity: '', project: '' } };

/** The kinds whose runs begin from an issue. */
const CONTRACT_KINDS = KINDS.flatMap(({ name, contracts }) => (contracts === undefined ? [] : [name]));

/** Exit 0 where a launch misses nothing. */
export async function contractVerb(io: VerbIo, { title, author, ...options }: Options): Promise<number> {
  const asked = options.kind ?? CONTRACT_KINDS[0];
  const kind = KINDS.find(({ name }) => name === asked);
  const contracts = kind?.contracts;
  if (kind === undefined || contracts === undefined)
    return misused(io, `no run of ${asked} begins from an issue: ${CONTRACT_KINDS.join(', ')}`);
  const bytes = await readInput(io);
  if (!bytes.ok) return misused(io, bytes.error);
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value);
  const lane = kind.settings.parse({ kind: kind.name, ...BARE_LANE });
  const { fields } = contracts;
  const contract = contracts.read({ title, body, author: { id: 0, login: author } }, lane);
  const { missing, unclear } = openParts(fields, contract);
  const isHero = contracts.claims?.(contract) ?? false;
  const lines = [
    ...namesOf(fields).flatMap((name) => {
      const value = contract[name];
      if (value === undefined) return [];
      const from = value.from === '' ? '' : ` (${value.from})`;
      return [`${fields[name]?.label}: ${value.value} [${value.source}${from}]\n`];
    }),
    ...missing.map((label) => `${label}: missing\n`),
  ];
  answer(io, { contract, missing, unclear, isHero }, lines.join(''));
  return missing.length + unclear.length === 0 ? EXIT.yes : EXIT.no;
}
