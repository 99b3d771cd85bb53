/**
 * What is done about a rental that failed, smallest first and one step at a time (policy VA, Autonomous Recovery Policy): the
 * same again where that alone can help, a package or variable more where it died of what it runs on, a smaller config where it
 * ran out of memory, another machine where this one is bad or the same again has not helped. Each attempt has a machine of its
 * own. What needs other code is a fix that a person names.
 */

import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';

export const RENTAL_RESPONSES: Responses = {
  ...USUAL_RESPONSES,
  dependency: 'repair',
  'oom-hbm': 'reduce',
  'oom-host': 'reduce',
  'bad-node': 'other-machine',
  // On a rented machine nobody but its host or a higher bid stops a job.
  stopped: 'other-machine',
};
