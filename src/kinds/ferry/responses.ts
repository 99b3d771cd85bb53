/** What is done about a ferry that failed (policy, job monitoring loop): started again where that alone can help, else a person is asked. */

import type { Responses } from '../../domain/failure-class.ts';

export const FERRY_RESPONSES: Responses = {
  preempted: 'relaunch',
  network: 'relaunch',
  stalled: 'relaunch',
  stopped: 'relaunch',
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
