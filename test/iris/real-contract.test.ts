/** The contract of every engine, tested on a real Iris of this machine: Marin's own controller and worker. */

import { afterAll, beforeAll } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { engineContract } from '../support/engine-contract.ts';
import { describeWithIris, realBench, startTestIris, type TestIris } from '../support/iris-cluster.ts';

describeWithIris('the iris engine on a real controller', () => {
  let iris: TestIris;
  beforeAll(async () => {
    iris = await startTestIris();
  }, 300_000);
  afterAll(() => iris.close());

  engineContract(ABILITIES.iris, () => realBench(iris));
});
