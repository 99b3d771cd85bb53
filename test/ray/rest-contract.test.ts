/** The contract of every engine, tested with the Jobs API of a real Ray head. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn } from '../support/capabilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';

describeWithRay('the ray engine over the Jobs API of a real head', () => {
  let head: RayHead;
  let jobs = 0;
  beforeAll(async () => {
    head = await startRayHead();
  });
  afterAll(() => head.close());

  const open = async (): Promise<EngineBench> => {
    const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
    const say = `print(${JSON.stringify(SAID.trimEnd())}, flush=True)`;
    const sources = {
      quick: say,
      failing: `${say}; raise SystemExit(3)`,
      endless: `${say}; import time; time.sleep(1e6)`,
    };
    for (const [kind, source] of Object.entries(sources)) await writeFile(join(directory, `${kind}.py`), source);
    jobs += 1;
    const jobId = `job-${jobs}`;
    const rest = createRestEngine({ address: head.address, token: head.token });
    const engine = createRayEngine({ rest, scripts: null, dashboard: head.address });
    return {
      engine,
      jobId,
      // Ray writes its second line after it has started the command, so the order is not fixed.
      log: new RegExp(`Runtime env is setting up[^]*Running entrypoint for job ${jobId}: python quick\\.py\\n`),
      directory,
      command: (kind) => ['python', `${kind}.py`],
      pass: () => sleep(100),
      close: async () => {
        await stopIn(engine, jobId);
        await rm(directory, { recursive: true, force: true });
      },
    };
  };
  engineContract(ABILITIES.ray, open);
});
