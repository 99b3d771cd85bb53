/**
 * What is done about a hero run that failed (policy HR, What can go wrong): the same again where hardware, a preemption or
 * the network ended it, within the restarts that were approved; everything else is a person's, a job that was stopped too.
 */

import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';

export const HERO_RESPONSES: Responses = { ...USUAL_RESPONSES, stopped: 'ask' };
