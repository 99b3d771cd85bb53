/**
 * What is done about a rental that failed, smallest first and one step at a time (policy VA, Autonomous Recovery Policy): the
 * same again where that alone can help, a smaller config where it ran out of memory, another machine where this one is bad.
 * Each attempt has a machine of its own. What needs other code or another environment is a fix that a person names.
 */

import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';

export const RENTAL_RESPONSES: Responses = {
  ...USUAL_RESPONSES,
  'oom-hbm': 'reduce',
  'oom-host': 'reduce',
  'bad-node': 'other-machine',
  // On a rented machine nobody but its host or a higher bid stops a job.
  stopped: 'other-machine',
};
