/**
 * What is done about a hero run that failed (policy HR, What can go wrong): the same again where hardware, a preemption or
 * the network ended it, within the restarts that were approved; everything else is a person's.
 */

import type { Responses } from '../../domain/failure-class.ts';

export const HERO_RESPONSES: Responses = {
  preempted: 'relaunch',
  network: 'relaunch',
  stalled: 'relaunch',
  stopped: 'ask',
  'bad-node': 'replace-node',
  'oom-hbm': 'ask',
  'oom-host': 'ask',
  capacity: 'ask',
  storage: 'ask',
  data: 'ask',
  nan: 'ask',
  'code-small': 'ask',
  'code-other': 'ask',
  config: 'ask',
  auth: 'ask',
  dependency: 'ask',
  'infra-cluster': 'ask',
  benign: 'ask',
  unknown: 'ask',
};
