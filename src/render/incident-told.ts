/** What is told of an incident, whichever it is. */

import type { IncidentCode, IncidentFacts } from '../domain/incidents.ts';
import type { PlaceWord } from './words.ts';

/** What is known of it stands in `evidence`. All is Markdown. */
export type IncidentTold = {
  readonly title: string;
  readonly evidence: string;
  readonly did: string;
  readonly todo: string;
};

export type IncidentWords<Code extends IncidentCode> = Omit<IncidentTold, 'evidence'> & {
  readonly evidence: (facts: IncidentFacts<Code>, place: PlaceWord) => string;
  /** Where it depends on the facts; null: as ever. */
  readonly didFor?: (facts: IncidentFacts<Code>) => string | null;
  readonly todoFor?: (facts: IncidentFacts<Code>, place: PlaceWord) => string | null;
};
