/** A cluster of the engine `iris` as in a config. */

import { type IrisCluster, irisSchema } from '../../src/engines/iris/definition.ts';

export function irisConfig(changes: Partial<IrisCluster> = {}): IrisCluster {
  return irisSchema.parse({
    engine: 'iris',
    controller: 'http://127.0.0.1:18400',
    user: 'alice',
    acceleratorHoursPerRun: '2',
    ...changes,
  });
}
