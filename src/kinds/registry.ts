/** The registered kinds of run, one line each. The first is the kind of a lane that names none. */

import type { Kinds } from '../run/kind.ts';
import { adoptionKind } from './adoption/kind.ts';
import { ferryKind } from './ferry/kind.ts';
import { heroKind } from './hero/kind.ts';
import { rentalKind } from './rental/kind.ts';

export const KINDS: Kinds = [
  ferryKind, // one experiment file, one or two knobs, every day
  adoptionKind, // a job that a person launched by hand
  heroKind, // an expensive run, launched from the contract in its issue
  rentalKind, // a run on a rented machine, started with `/rent`
];
