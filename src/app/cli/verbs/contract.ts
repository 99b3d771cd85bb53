/** `ferrybot contract < issue.md`: what an issue says as the contract of a hero run, and what it leaves open. */

import { FIELD_NAMES, FIELDS } from '../../../kinds/hero/contract/fields.ts';
import { openParts } from '../../../kinds/hero/contract/open-parts.ts';
import { isHeroByCost } from '../../../kinds/hero/contract/quantity.ts';
import { readContract } from '../../../kinds/hero/contract/read-contract.ts';
import { BARE_LANE } from '../../../kinds/hero/settings.ts';
import { readInput } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

type Options = { readonly title: string; readonly author: string };

/** Exit 0 where a launch misses nothing. */
export async function contractVerb(io: VerbIo, { title, author }: Options): Promise<number> {
  const bytes = await readInput(io);
  if (!bytes.ok) return misused(io, bytes.error);
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value);
  const contract = readContract({ title, body, author: { id: 0, login: author } }, BARE_LANE);
  const { missing, unclear } = openParts(contract);
  const flops = contract['flops'];
  const isHero = flops !== undefined && flops.source !== 'unclear' && isHeroByCost(Number(flops.value));
  const lines = [
    ...FIELD_NAMES.flatMap((name) => {
      const value = contract[name];
      if (value === undefined) return [];
      const from = value.from === '' ? '' : ` (${value.from})`;
      return [`${FIELDS[name].label}: ${value.value} [${value.source}${from}]\n`];
    }),
    ...missing.map((label) => `${label}: missing\n`),
  ];
  answer(io, { contract, missing, unclear, isHero }, lines.join(''));
  return missing.length + unclear.length === 0 ? EXIT.yes : EXIT.no;
}
