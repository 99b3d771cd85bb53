/** `ferrybot contract < issue.md`: the run contract in an issue, and its open parts. */

import { namesOf, openParts } from '../../../contracts/fields.ts';
import { KINDS } from '../../../kinds/registry.ts';
import { readInputText } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

type Options = { readonly title: string; readonly author: string; readonly kind?: string };

/** The defaults of a lane are enough to read an issue. */
const BARE_LANE = { cluster: 'none', ships: ['.'], tracker: { kind: 'none', entity: '', project: '' } };

/** Kinds with runs that start from an issue. */
const CONTRACT_KINDS = KINDS.flatMap(({ name, contracts }) => (contracts === undefined ? [] : [name]));

/** Exit 0 if the contract is complete. */
export async function contractVerb(io: VerbIo, { title, author, ...options }: Options): Promise<number> {
  const asked = options.kind ?? CONTRACT_KINDS[0];
  const kind = KINDS.find(({ name }) => name === asked);
  const contracts = kind?.contracts;
  if (kind === undefined || contracts === undefined)
    return misused(io, `no run of ${asked} begins from an issue: ${CONTRACT_KINDS.join(', ')}`);
  const text = await readInputText(io);
  if (!text.ok) return misused(io, text.error);
  const body = text.value;
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
