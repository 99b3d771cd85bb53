// For every gate: facts with which it blocks a run, and facts without which it is unknown.

import type { Rows } from './case-parts.ts';
import { CHANGE_CASES } from './change-cases.ts';
import { HERO_CASES } from './hero-cases.ts';
import { LANE_CASES } from './lane-cases.ts';
import { RENTAL_CASES } from './rental-cases.ts';

export const ROWS: Rows = { ...CHANGE_CASES, ...LANE_CASES, ...HERO_CASES, ...RENTAL_CASES };
