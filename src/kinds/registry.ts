/** The kinds of run that there are: one line each. The first is what a lane is of that does not say. */

import type { Kinds } from '../run/kind.ts';
import { adoptionKind } from './adoption/kind.ts';
import { ferryKind } from './ferry/kind.ts';
import { heroKind } from './hero/kind.ts';
import { rentalKind } from './rental/kind.ts';

export const KINDS: Kinds = [
  ferryKind, // one experiment file, one or two knobs, every day
  adoptionKind, // a job that somebody has launched by hand
  heroKind, // an expensive run, begun from the contract in its issue
  rentalKind, // a run on a machine that is rented for it, begun with `/rent`
];
